/** Extracts comments and test titles from TypeScript files. */
import ts from 'typescript';

/** A comment of a source file, without its slashes and stars. `line` counts from 1. */
export interface SourceComment {
  line: number;
  isDoc: boolean;
  text: string;
}

/** A line of a source file, with its indent and markers. `line` counts from 1. */
export interface SourceLine {
  line: number;
  text: string;
}

/** Returns the comments of a TypeScript source. */
export function readComments(fileName: string, source: string): SourceComment[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  return findComments(file, source).map(({ start, end }) => {
    const raw = source.slice(start, end);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return { line, isDoc: raw.startsWith('/**'), text: stripMarkers(raw) };
  });
}

/**
 * Returns whether the first comment of a TypeScript source describes the file: it stands at the top, or on an exported
 * declaration.
 */
export function hasHeader(fileName: string, source: string): boolean {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const [first] = findComments(file, source);
  if (first === undefined) return false;
  if (first.start < (file.statements[0]?.getStart(file) ?? source.length)) return true;
  return file.statements.some(
    (statement) =>
      ts.canHaveModifiers(statement) &&
      (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) &&
      ts.getLeadingCommentRanges(source, statement.getFullStart())?.[0]?.pos === first.start,
  );
}

/** Returns the lines of a TypeScript source that hold a comment or a part of one. */
export function readCommentLines(fileName: string, source: string): SourceLine[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const numbers = findComments(file, source).flatMap(({ start, end }) =>
    Array.from({ length: lineOf(end) - lineOf(start) + 1 }, (_, n) => lineOf(start) + n),
  );
  const lines = source.split('\n');
  return [...new Set(numbers)].map((number) => ({ line: number + 1, text: lines[number] ?? '' }));
}

/**
 * Returns the string literals and templates of a TypeScript source that contain a space, as comments are returned.
 * A template has `code` in place of each expression.
 */
export function readSentences(fileName: string, source: string): SourceComment[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const sentences: SourceComment[] = [];
  const visit = (node: ts.Node) => {
    const text = textOf(node);
    if (text?.includes(' ') === true) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      sentences.push({ line: line + 1, isDoc: false, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return sentences;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('code');
}

/**
 * Returns the positions of the comments, in order. The parser finds them token by token, so a string that looks like a
 * comment does not count as one.
 */
function findComments(file: ts.SourceFile, source: string): { start: number; end: number }[] {
  const ends = new Map<number, number>();
  const remember = (start: number, end: number) => {
    ends.set(start, end);
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
  return [...ends].map(([start, end]) => ({ start, end })).sort((a, b) => a.start - b.start);
}

/** A title of a test, or of a group of tests. */
export interface TestTitle {
  line: number;
  text: string;
  isGroup: boolean;
}

/** Returns the titles of `describe`, `it` and `test` calls. */
export function readTestTitles(fileName: string, source: string): TestTitle[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node) => {
    const called = ts.isCallExpression(node)
      ? /^(describe|it|test)\b/.exec(node.expression.getText(file))
      : null;
    if (ts.isCallExpression(node) && called !== null) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        const { line } = file.getLineAndCharacterOfPosition(title.getStart(file));
        titles.push({ line: line + 1, text: title.text, isGroup: called[0] === 'describe' });
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
