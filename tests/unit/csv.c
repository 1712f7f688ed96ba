/* SPDX-License-Identifier: MIT */
/* Text in cells of CSV files: nothing that a spreadsheet or a terminal acts on. */
#include "util/encode/csv.h"

#include <string.h>

#include "check.h"

static void expect(const char *bytes, const char *cell)
{
	struct text out = TEXT_INIT;

	csv_add_text(&out, bytes, strlen(bytes));
	CHECK(out.data && !strcmp(out.data, cell));
	if (!out.data || strcmp(out.data, cell) != 0)
		fprintf(stderr, "%s: %s, not %s\n", bytes, out.data ? out.data : "", cell);
	text_free(&out);
}

int main(void)
{
	expect("", "\"\"");
	expect("plain text", "plain text");
	expect("a,b", "\"a,b\"");
	expect("say \"it\"", "\"say \"\"it\"\"\"");
	expect("two\nlines", "\"two\nlines\"");
	/* Formulas of spreadsheets. */
	expect("=1+1", "'=1+1");
	expect("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
	expect("+SUM(A1)", "'+SUM(A1)");
	expect("-cl-fast-relaxed-math", "'-cl-fast-relaxed-math");
	expect("@SUM(A1)", "'@SUM(A1)");
	expect("\t=1", "'\t=1");
	expect("\n=1", "\"'\n=1\"");
	expect("a=1", "a=1");
	/* Numbers stay numbers. */
	expect("-12", "-12");
	expect("+3.5", "+3.5");
	expect("-1.5e-9", "-1.5e-9");
	expect("-.5", "-.5");
	expect("-", "'-");
	expect("-1.5e", "'-1.5e");
	expect("-1-1", "'-1-1");
	/* Terminals. */
	expect("\x1b[31mred", "\\x1b[31mred");
	expect("bell\x07", "bell\\x07");
	expect("over\rwritten", "over\\x0dwritten");
	expect("\xc2\x9b"
	       "31m",
	       "\\x9b31m");
	expect("\x7f", "\\x7f");
	expect("caf\xc3\xa9", "caf\xc3\xa9");
	expect("no\xff utf8", "no\xef\xbf\xbd utf8");
	return check_status();
}
