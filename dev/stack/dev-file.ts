/** Reads and writes `dev.json`, which tells users how to reach the running stack. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The facts that a person or a script needs to use the stack, in `<dataDir>/dev.json`. Only its owner can read it. */
export interface DevFile {
  /** The base URL, which ends in `/api/v1`. */
  base_url: string;
  api_key: string;
  management_key: string;
  organization_id: string;
  workspace_id: string;
  /** Null if Temporal runs elsewhere and TEMPORAL_UI_URL is not set. */
  temporal_ui: string | null;
  temporal_address: string;
  database_url: string;
  upstream_url: string;
  webhook_secret: string;
}

export function readDevFile(dataDir: string): DevFile | undefined {
  try {
    return JSON.parse(readFileSync(devFilePath(dataDir), 'utf8')) as DevFile;
  } catch {
    // A missing or unreadable file counts as none.
    return undefined;
  }
}

export function writeDevFile(dataDir: string, facts: DevFile): void {
  const file = devFilePath(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function devFilePath(dataDir: string): string {
  return path.join(dataDir, 'dev.json');
}
