/** Formats the tables that admin commands print. */

/** Matches control characters, with which a vendor's or receiver's text could control the terminal. */
const UNPRINTABLE = /\p{Cc}/gu;

/** Formats columns as wide as their widest cell, two spaces apart, under their headings. */
export function formatTable(headings: string[], rows: string[][]): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => cell.replaceAll(UNPRINTABLE, ' ')))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
