/** Parses the SCIM filters of list requests and of PATCH paths. */
import { type Filter as ParsedFilter, parse } from 'scim2-parse-filter';
import {
  COMPARISONS,
  type Comparison,
  type Filter,
  type FilterValue,
} from '../../../domain/directory/scim/filter.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';

const MAX_CHARACTERS = 2_000;
const MAX_DEPTH = 40;

const TEXT = /"(?:[^"\\]|\\[^])*"/g;
const OPERATOR = COMPARISONS.join('|');
/** Matches a value that is no string: a number, a boolean or null, in any case. */
const LITERAL = new RegExp(`(\\s(?:${OPERATOR})\\s+)(-?\\d[\\d.eE+-]*|true|false|null)(?=[\\s)\\]]|$)`, 'gi');
/** Matches `[filter].name operator value`, once all values are placeholders. */
const BEHIND_BRACKETS = new RegExp(
  `\\[([^[\\]]*)\\]\\.([\\w$]+\\s+(?:pr\\b|(?:${OPERATOR})\\s+"\\d+"))`,
  'gi',
);

/**
 * Returns the filter of a text, or refuses it.
 *
 * The parser (scim2-parse-filter 0.2.10) sees a number in place of each value. By itself, it reads `\\` and `\u0041`
 * wrongly, takes exponential time for an unfinished string of line breaks, refuses `-1 and …`, and knows `true` in
 * lower case only. It reads `emails[…].value eq "x"` as two conditions that different values may meet, so the text is
 * rewritten before. It accepts `a pr not b pr` and `a pr constructor b pr`; both are refused afterwards.
 */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_CHARACTERS) {
    throw refuse('tooMany', `A filter must not have more than ${MAX_CHARACTERS} characters.`);
  }
  const values: FilterValue[] = [];
  const hide = (literal: string): string => `"${values.push(readLiteral(literal)) - 1}"`;
  const hidden = text
    .replace(TEXT, hide)
    .replace(LITERAL, (_, before: string, literal: string) => before + hide(literal.toLowerCase()));
  if (hidden.replace(/"\d+"/g, '').includes('"')) throw invalid('a string does not end');
  checkDepth(hidden);
  return convert(parseHidden(hidden.replace(BEHIND_BRACKETS, '[($1) and $2]')), values);
}

/** Refuses nesting so deep that a recursive function could exhaust the stack. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(/[([]|[)\]]|\bnot\b/gi)) {
    // A `not` needs no parentheses to nest, so each one counts.
    depth += token === ')' || token === ']' ? -1 : 1;
    if (depth > MAX_DEPTH) throw invalid('it is nested too deeply');
  }
}

function parseHidden(text: string): ParsedFilter {
  try {
    return parse(text);
  } catch {
    throw invalid('it does not follow the grammar of SCIM filters');
  }
}

function convert(parsed: ParsedFilter, values: readonly FilterValue[]): Filter {
  switch (parsed.op) {
    case 'and':
    case 'or':
      return { op: parsed.op, filters: parsed.filters.map((part) => convert(part, values)) };
    case 'not':
      if (parsed.filter === undefined) throw invalid('`not` stands before a filter');
      return { op: 'not', filter: convert(parsed.filter, values) };
    case '[]':
      return { op: 'some', path: parsed.attrPath, filter: convert(parsed.valFilter, values) };
    case 'pr':
      return { op: 'pr', path: parsed.attrPath };
    default:
      if (!isComparison(parsed.op)) throw invalid('it has an unknown operator');
      return { op: parsed.op, path: parsed.attrPath, value: valueOf(parsed.compValue, values) };
  }
}

function isComparison(op: string): op is Comparison {
  return (COMPARISONS as readonly string[]).includes(op);
}

function valueOf(placeholder: unknown, values: readonly FilterValue[]): FilterValue {
  const value = typeof placeholder === 'string' ? values[Number(placeholder)] : undefined;
  if (value === undefined) throw invalid('a value must be a string, a number, true, false or null');
  return value;
}

function readLiteral(literal: string): FilterValue {
  const value = asJson(literal);
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw invalid('a value has a NUL character or invalid Unicode');
  }
  return value;
}

function asJson(literal: string): FilterValue {
  try {
    return JSON.parse(literal) as FilterValue;
  } catch {
    throw invalid('a value is not valid JSON');
  }
}

function invalid(reason: string): Error {
  return refuse('invalidFilter', `The filter is invalid: ${reason}.`);
}
