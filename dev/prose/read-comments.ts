import ts from 'typescript';

/** A comment of a source file, without its slashes and stars. `line` counts from 1. */
export interface SourceComment {
  line: number;
  isDoc: boolean;
  text: string;
}

/**
 * Returns the comments of a TypeScript source. The parser finds them token by token, so a string that looks like a
 * comment does not count as one.
 */
export function readComments(fileName: string, source: string): SourceComment[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const comments = new Map<number, SourceComment>();
  const remember = (start: number, end: number) => {
    const raw = source.slice(start, end);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    comments.set(start, { line, isDoc: raw.startsWith('/**'), text: stripMarkers(raw) });
  };
  const visit = (node: ts.Node) => {
    ts.forEachLeadingCommentRange(source, node.getFullStart(), remember);
    ts.forEachTrailingCommentRange(source, node.end, remember);
    node
      .getChildren(file)
      .filter((child) => !ts.isJSDoc(child))
      .forEach(visit);
  };
  visit(file);
  return [...comments.values()].sort((a, b) => a.line - b.line);
}

/** Returns the titles of `describe`, `it` and `test` calls, as comments are returned. */
export function readTestTitles(fileName: string, source: string): SourceComment[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const titles: SourceComment[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && /^(describe|it|test)\b/.test(node.expression.getText(file))) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        const { line } = file.getLineAndCharacterOfPosition(title.getStart(file));
        titles.push({ line: line + 1, isDoc: false, text: title.text });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return titles;
}

function stripMarkers(raw: string): string {
  return raw
    .replace(/^\/\*+|^\/\/+|\*+\/$/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .trim();
}
