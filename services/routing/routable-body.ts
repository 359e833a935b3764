/** Defines the parts of requests and workspace settings that routing reads. */
import type { WorkspaceSettings } from '../../domain/accounts/workspace.ts';
import type { PreferencesBody } from './routing-preferences.ts';

/** The fields of a text request that decide where it may run. */
export interface RoutableBody {
  model?: string | null | undefined;
  models?: string[] | null | undefined;
  provider?: PreferencesBody | null | undefined;
  route?: 'fallback' | 'sort' | null | undefined;
  plugins?: { id: string; enabled?: boolean | null | undefined }[] | null | undefined;
  /** The tools of the request. Most tools of a messages request have no type; they are functions. */
  tools?: { type?: string | null | undefined }[] | null | undefined;
  fallbacks?: unknown;
  debug?: { echo_upstream_body?: boolean | null | undefined } | null | undefined;
  [field: string]: unknown;
}

/** A workspace's settings that affect routing. */
export type RoutingDefaults = Pick<
  WorkspaceSettings,
  'defaultTextModel' | 'defaultImageModel' | 'defaultProviderSort' | 'disabledServerTools'
>;
