/** Extracts comments, sentences and test titles from TypeScript files. */
import ts from 'typescript';

/** A TypeScript file that was parsed once, for all readers. */
export interface ParsedSource {
  file: ts.SourceFile;
  source: string;
  /** The positions of the comments, in order. */
  comments: readonly { start: number; end: number }[];
}

/** Parses a TypeScript source, and finds its comments. */
export function parseSource(fileName: string, source: string): ParsedSource {
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  const file = ts.createSourceFile(fileName, source, options, true);
  return { file, source, comments: findComments(file, source) };
}

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
export function readComments({ file, source, comments }: ParsedSource): SourceComment[] {
  return comments.map(({ start, end }) => {
    const raw = source.slice(start, end);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return { line, isDoc: raw.startsWith('/**'), text: stripMarkers(raw) };
  });
}

/**
 * Returns whether the first comment of a TypeScript source describes the file: it stands at the top, or on an exported
 * declaration.
 */
export function hasHeader({ file, source, comments: [first] }: ParsedSource): boolean {
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
export function readCommentLines({ file, source, comments }: ParsedSource): SourceLine[] {
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const numbers = comments.flatMap(({ start, end }) =>
    Array.from({ length: lineOf(end) - lineOf(start) + 1 }, (_, n) => lineOf(start) + n),
  );
  const lines = source.split('\n');
  return [...new Set(numbers)].map((number) => ({ line: number + 1, text: lines[number] ?? '' }));
}

/**
 * Returns the string literals and templates of a TypeScript source that contain a space, as comments are returned.
 * A template has `code` in place of each expression.
 */
export function readSentences({ file }: ParsedSource): SourceComment[] {
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
 * comment does not count as one. Only the parts of the file are visited that have the start of a comment in them or
 * behind them in the same line.
 */
function findComments(file: ts.SourceFile, source: string): { start: number; end: number }[] {
  const ends = new Map<number, number>();
  const remember = (start: number, end: number) => {
    ends.set(start, end);
  };
  const candidates = [...source.matchAll(/\/[/*]/g)].map(({ index }) => index);
  const visit = (node: ts.Node) => {
    const from = node.getFullStart();
    const lineEnd = source.indexOf('\n', node.end);
    const to = lineEnd === -1 ? source.length : lineEnd;
    if (!candidates.some((at) => at >= from && at < to)) return;
    ts.forEachLeadingCommentRange(source, from, remember);
    ts.forEachTrailingCommentRange(source, node.end, remember);
    node.getChildren(file).forEach(visit);
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

/** Returns the titles of `describe`, `it` and `test` calls. A template has `code` in place of each expression. */
export function readTestTitles({ file }: ParsedSource): TestTitle[] {
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node) => {
    const called = ts.isCallExpression(node)
      ? /^(describe|it|test)\b/.exec(node.expression.getText(file))
      : null;
    if (ts.isCallExpression(node) && called !== null) {
      const [title] = node.arguments;
      const text = title === undefined ? undefined : textOf(title);
      if (title !== undefined && text !== undefined) {
        const { line } = file.getLineAndCharacterOfPosition(title.getStart(file));
        titles.push({ line: line + 1, text, isGroup: called[0] === 'describe' });
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
