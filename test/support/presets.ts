import { randomBytes } from 'node:crypto';
import type { Caller } from './caller.ts';

/** A preset as it is on the wire. */
export interface WirePreset {
  id: string;
  slug: string;
  name: string;
  description: string | null;
  status: string;
  status_updated_at: string | null;
  designated_version_id: string;
  creator_user_id: string | null;
  workspace_id: string;
  created_at: string;
  updated_at: string;
  designated_version: WirePresetVersion;
}

export interface WirePresetVersion {
  id: string;
  preset_id: string;
  version: number;
  config: Record<string, unknown>;
  system_prompt: string | null;
  creator_id: string;
  created_at: string;
  updated_at: string;
}

export function newSlug(): string {
  return `p-${randomBytes(6).toString('hex')}`;
}

export function postChat(manager: Caller, slug: string, body: object): Promise<Response> {
  return manager.call('POST', `/presets/${slug}/chat/completions`, { body });
}

export async function makePreset(manager: Caller, slug = newSlug(), body: object = {}): Promise<WirePreset> {
  return dataOf<WirePreset>(await postChat(manager, slug, body));
}

export async function getPreset(manager: Caller, slug: string): Promise<WirePreset> {
  return dataOf<WirePreset>(await manager.call('GET', `/presets/${slug}`));
}

/** What an answer that must be a success wraps in `data`. */
export async function dataOf<Data>(response: Response): Promise<Data> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

export interface Page<Item> {
  data: Item[];
  total_count: number;
}

export async function pageOf<Item>(manager: Caller, path: string): Promise<Page<Item>> {
  const response = await manager.call('GET', path);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as Page<Item>;
}
