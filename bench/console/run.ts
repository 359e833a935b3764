/**
 * Measures the overview of the console in Chromium over a synthetic history: how long its first view takes, and how
 * much processor time an open one costs the API beside chats. Arguments: generations, views, and rounds of chats.
 */
import { readSeedOptions } from '../../dev/seed/options.ts';
import { seedHistory } from '../../dev/seed/seed-history.ts';
import { launchChromium, openPage } from '../../test/console/support/console-scene.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable, spread } from '../table.ts';
import { measureChats, measureIdle } from './open-overview.ts';
import { measureViews } from './views.ts';

const [generations = 1_000_000, views = 10, rounds = 10] = process.argv.slice(2).map(Number);
const DAYS = 30;
/** The longest that the median of the first views may take, in milliseconds. */
const VIEW_BAR_MS = 1_500;
/** The processor time of a chat beside an open overview may be this many times that of a chat without one. */
const CHAT_BAR = 1.02;

// Without https, browsers take the cookie of a session from this machine too.
const gateway = await startMeasuredGateway({ env: { PUBLIC_URL: 'http://localhost:8080' } });
const options = readSeedOptions(['--generations', `${generations}`, '--days', `${DAYS}`], Date.now());
await seedHistory(options, {
  databaseUrl: gateway.databaseUrl,
  environment: 'test',
  output: process.stdout,
  stopping: new AbortController().signal,
});
await gateway.database.query('vacuum analyze');

const browser = await launchChromium();
const signedIn = await openPage(browser, gateway.origin);
await signedIn.signIn(gateway.managementKey);
const session = await signedIn.context.storageState();
await signedIn.context.close();

const where = { browser, session, gateway };
const { week, month } = await measureViews(where, views);
const idle = await measureIdle(where);
const chats = await measureChats(where, rounds);
await browser.close();
await gateway.close();

const rows = [
  ['first view, from the click, ms', ...spread(week, 0), String(VIEW_BAR_MS)],
  ['then 30 days in place of 7, from the click, ms', ...spread(month, 0), ''],
  ['API a chat, no overview, µs', ...spread(chats.without, 1), ''],
  ['API a chat, one open overview, µs', ...spread(chats.with, 1), ''],
  ['ratio', ...spread(chats.ratios, 3), String(CHAT_BAR)],
  ['API without chats, no overview, ms a minute', '', idle.without.toFixed(0), '', ''],
  ['API without chats, one open overview, ms a minute', '', idle.with.toFixed(0), '', ''],
];
process.stdout.write(
  `\n${generations} generations of ${DAYS} days, ${views} views, ${rounds} rounds of chats\n\n${renderTable(
    ['', 'min', 'median', 'max', 'bar'],
    rows,
  )}\n`,
);
