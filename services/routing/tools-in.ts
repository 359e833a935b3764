import type { RoutableBody } from './routable-body.ts';

/** Those of a request's own were validated; options for a provider may hold anything. */
export type Tools = readonly ({ type?: unknown } | null)[];

/** The tools that a request gives, with where they stand: its own, and those that it has for one provider. */
export function toolsIn({ tools, provider }: Pick<RoutableBody, 'tools' | 'provider'>): [string, Tools][] {
  const found: [string, Tools][] = tools ? [['body.tools', tools]] : [];
  for (const [slug, own] of Object.entries(provider?.options ?? {})) {
    const given = own['tools'];
    if (Array.isArray(given)) found.push([`body.provider.options.${slug}.tools`, given as Tools]);
  }
  return found;
}
