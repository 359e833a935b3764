/** A paragraph, heading, list item or table row of a page. `line` counts from 1. */
export interface MarkdownLine {
  line: number;
  text: string;
}

/** Returns the lines of a page that are prose. Fenced and indented code blocks and empty lines are omitted. */
export function readMarkdown(source: string): MarkdownLine[] {
  const lines: MarkdownLine[] = [];
  let fence: string | undefined;
  let afterEmptyLine = true;
  for (const [index, text] of source.split('\n').entries()) {
    const [marker] = /^\s*(```+|~~~+)/.exec(text)?.slice(1) ?? [];
    if (marker !== undefined && (fence === undefined || marker.startsWith(fence))) {
      fence = fence === undefined ? marker : undefined;
    } else if (fence === undefined && text.trim() !== '' && !(afterEmptyLine && isIndentedCode(text))) {
      lines.push({ line: index + 1, text });
    }
    afterEmptyLine = text.trim() === '';
  }
  return lines;
}

/** Returns whether a line is indented code. An item of a nested list is indented as well, but begins with a marker. */
function isIndentedCode(text: string): boolean {
  return /^ {4}/.test(text) && !/^\s*([-*+]|\d+\.) /.test(text);
}
