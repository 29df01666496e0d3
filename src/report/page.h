#ifndef PITH_REPORT_PAGE_H
#define PITH_REPORT_PAGE_H

extern const char pith_i_page[]; /* page.html, built in by cmake/Embed.cmake */

#endif
