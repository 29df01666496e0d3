# A text file as a C array: cmake -DINPUT=page.html -DOUTPUT=page_text.c -DNAME=pith_i_page -P Embed.cmake
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
file(WRITE ${OUTPUT} "/* Made from ${NAME}; do not edit. */\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n${hex}'\\0'};\n")
