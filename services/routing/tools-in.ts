/** Finds all tools of a request, including tools in provider options. */
import type { RoutableBody } from './routable-body.ts';

/**
 * The tools of a request, which the contract validated, or those in options for one provider, which may have any form.
 */
export type Tools = readonly ({ type?: unknown } | null)[];

/** Returns the tools of a request with their paths: its own, and those in options for one provider. */
export function toolsIn({ tools, provider }: Pick<RoutableBody, 'tools' | 'provider'>): [string, Tools][] {
  const found: [string, Tools][] = tools ? [['body.tools', tools]] : [];
  for (const [slug, own] of Object.entries(provider?.options ?? {})) {
    const given = own['tools'];
    if (Array.isArray(given)) found.push([`body.provider.options.${slug}.tools`, given as Tools]);
  }
  return found;
}
