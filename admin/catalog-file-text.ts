/** Turns the text of a file into a catalog, or into an error that names what is wrong. */
import { ZodError } from 'zod';
import { describeIssue } from '../contract/issues.ts';
import type { Issue } from '../domain/errors.ts';
import { type CatalogFile, parseCatalogFile } from '../providers/catalog-file.ts';
import { AdminUsageError } from './arguments.ts';

/** The most issues that are printed. */
const SHOWN_ISSUES = 100;

/** Returns the JSON of a file. */
export function parseJson(name: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AdminUsageError(
      `${name} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
  }
}

/** Returns the catalog in a file's JSON. */
export function parseCatalog(name: string, json: unknown): CatalogFile {
  try {
    return parseCatalogFile(json, describeIssue);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw refusal(
      name,
      error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    );
  }
}

/** Returns the error of a file that breaks rules. */
export function refusal(name: string, issues: Issue[]): AdminUsageError {
  const lines = issues
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => `  ${path || 'the file'}: ${message}`);
  const hidden = issues.length - lines.length;
  return new AdminUsageError(
    [
      `${name} breaks ${issues.length} ${issues.length === 1 ? 'rule' : 'rules'}; nothing was imported:`,
      ...lines,
      ...(hidden > 0 ? [`  and ${hidden} more`] : []),
    ].join('\n'),
  );
}
