/** Writes the calls of a page as commands for a terminal, to paste and run. */
import { API_BASE } from './client.ts';

/** A call of the API, as a person would repeat it. */
export interface CurlCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base path: `/keys`. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

/** Returns the address of a call. */
function addressOf({ path, query = {} }: CurlCall): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `${location.origin}${API_BASE}${path}${text === '' ? '' : `?${text}`}`;
}

/** Returns a curl command. The key is a variable of the shell: the console never knows it. */
export function curlOf(call: CurlCall): string {
  const lines = [`curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(addressOf(call))}`];
  lines.push(`-H "Authorization: Bearer $SLUICE_API_KEY"`);
  if (call.body !== undefined) {
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(JSON.stringify(call.body, undefined, 2))}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** Returns a text in single quotes, which a shell takes literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
