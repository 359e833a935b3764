import type { IncomingHttpHeaders } from 'node:http';
import { clip } from '../../../domain/clip.ts';
import { parseCountry } from '../../../domain/country.ts';
import type { ClientFacts } from '../../../domain/principal.ts';
import { headerText } from './header-text.ts';

const MAX_FACT_LENGTH = 512;

/** Returns what the request's headers say about the client. These facts are recorded and shown, but never trusted. */
export function clientFactsOf(
  requestId: string,
  headers: IncomingHttpHeaders,
  countryHeader?: string,
): ClientFacts {
  const facts: ClientFacts = { requestId };
  const referer = factOf(headers['http-referer']);
  const title = factOf(headers['x-openrouter-title']);
  const categories = factOf(headers['x-openrouter-categories']);
  const userAgent = factOf(headers['user-agent']);
  const country = countryHeader === undefined ? undefined : factOf(headers[countryHeader]);
  if (referer !== undefined) facts.referer = referer;
  if (title !== undefined) facts.title = title;
  if (categories !== undefined) facts.categories = categories;
  if (userAgent !== undefined) facts.userAgent = userAgent;
  if (country !== undefined) {
    const code = parseCountry(country);
    if (code !== undefined) facts.country = code;
  }
  return facts;
}

function factOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text === undefined || text === '' ? undefined : clip(headerText(text), MAX_FACT_LENGTH);
}
