import { spawnSync } from 'node:child_process';

/** Returns the Chromium that CHROMIUM_PATH names, or else the one on the PATH. Throws where there is none. */
export function findChromium(env = process.env): string {
  const { stdout } = spawnSync('which', ['chromium'], { encoding: 'utf8', env });
  const found = env['CHROMIUM_PATH'] || stdout.trim();
  if (found) return found;
  throw new Error(
    'Chromium is missing. Install it (on Debian: apt-get install -y chromium), or name one that is elsewhere: CHROMIUM_PATH=/opt/chromium/chrome',
  );
}
