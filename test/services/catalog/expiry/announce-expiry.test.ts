import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addDays, utcDayOf } from '../../../../domain/utc-day.ts';
import {
  announceExpiry,
  type AnnounceExpiryDeps,
} from '../../../../services/catalog/expiry/announce-expiry.ts';
import { sweep } from '../../../../services/sweep/sweep.ts';
import { createActivityDeps, type TestActivityDeps } from '../../../support/activity-deps.ts';
import { addOrganization, type Place } from '../../../support/accounts.ts';
import { setUrl } from '../../../support/budget-alerts.ts';
import { askChat, completed } from '../../../support/chat.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Gateway, startGateway } from '../../../support/gateway.ts';

const URL = 'http://127.0.0.1:9/hook';
const MODEL = 'local/echo-1';

let gateway: Gateway;
let activities: TestActivityDeps;
let deps: AnnounceExpiryDeps;
const today = utcDayOf(new Date());

beforeAll(async () => {
  gateway = await startGateway();
  activities = await createActivityDeps(gateway);
  deps = activities.sweeping.sweep;
  await completed(await askChat(gateway, { model: MODEL }));
  await eventually('the usage of the model', async () => {
    const { rowCount } = await gateway.database.query('select from daily_usage where model = $1', [MODEL]);
    return rowCount === 1 ? true : undefined;
  });
});
afterAll(async () => {
  await activities.close();
  await gateway.close();
});

/** Each test begins without events and scans. The model has 20 days left. */
beforeEach(async () => {
  await gateway.database.query('delete from webhook_deliveries');
  await gateway.database.query(`update expiring_model_scan set models = '', after_workspace_id = null`);
  await setUrl(gateway, gateway, URL);
  await expireIn(20);
});

/** Lets the model expire after so many days, today included. */
async function expireIn(days: number): Promise<void> {
  await gateway.database.query(
    `update models set facts = facts || jsonb_build_object('expirationDate', $2::text) where id = $1`,
    [MODEL, addDays(today, days - 1)],
  );
}

/** Adds a workspace that used the model so many days ago. */
async function addUser(daysAgo: number, url: string | null = URL): Promise<Place> {
  const place = await addOrganization(gateway);
  await setUrl(gateway, place, url);
  await gateway.database.query(
    `insert into daily_usage
     select (jsonb_populate_record(null::daily_usage, to_jsonb(d) || jsonb_build_object(
       'workspace_id', $1::text, 'organization_id', $2::text, 'bucket', ($3::text || ' 00:00:00+00')))).*
     from daily_usage d where workspace_id = $4`,
    [place.workspaceId, place.organizationId, addDays(today, -daysAgo), gateway.workspaceId],
  );
  return place;
}

const announce = (limitMs = 60_000): Promise<number> => announceExpiry(deps, { limitMs });

async function events(): Promise<{ workspace: string; id: string; data: Record<string, unknown> }[]> {
  const { rows } = await gateway.database.query(
    'select workspace_id workspace, event_id id, payload from webhook_deliveries order by created_at',
  );
  return rows.map(({ workspace, id, payload }) => ({ workspace, id, data: JSON.parse(payload).data }));
}

describe('the event model.expiring', () => {
  test('goes to a workspace that used the model, with its date and the days left', async () => {
    expect(await announce()).toBe(1);
    const lastDay = addDays(today, 19);
    expect(await events()).toEqual([
      {
        workspace: gateway.workspaceId,
        id: `model-expiring-${gateway.workspaceId}-local_2fecho-1-${lastDay}-30`,
        data: {
          model: MODEL,
          canonical_slug: MODEL,
          workspace_id: gateway.workspaceId,
          expiration_date: lastDay,
          sunset_at: `${addDays(lastDay, 1)}T00:00:00.000Z`,
          days_left: 20,
        },
      },
    ]);
  });

  test('goes to users of the last week with a callback URL only', async () => {
    const lately = await addUser(7);
    await addUser(8);
    await addUser(0, null);
    expect(await announce()).toBe(2);
    const workspaces = (await events()).map(({ workspace }) => workspace);
    expect(workspaces.toSorted()).toEqual([gateway.workspaceId, lately.workspaceId].toSorted());
    await gateway.database.query('delete from daily_usage where workspace_id <> $1', [gateway.workspaceId]);
  });

  test.each([
    [31, []],
    [30, [30]],
    [8, [30]],
    [7, [7]],
    [1, [7]],
    [0, []],
  ])('announces with %i days left the milestones %j', async (days, milestones) => {
    await expireIn(days);
    await announce();
    const announced = (await events()).map(({ id }) => Number(/\d+$/.exec(id)?.[0]));
    expect(announced).toEqual(milestones);
  });

  test('follows again for another date', async () => {
    await announce();
    await expireIn(19);
    expect(await announce()).toBe(1);
  });

  test('goes to a workspace that selects its type', async () => {
    const select = (types: string) =>
      gateway.database.query(`update workspaces set webhook_event_types = ${types} where id = $1`, [
        gateway.workspaceId,
      ]);
    await select(`'{budget.threshold_reached}'`);
    expect(await announce()).toBe(0);
    await gateway.database.query(`update expiring_model_scan set models = ''`);
    await select(`'{model.expiring}'`);
    expect(await announce()).toBe(1);
    await select('null');
  });
});

describe('a scan for users of expiring models', () => {
  test('repeats after an hour, and writes no event again', async () => {
    await announce();
    await setUrl(gateway, gateway, null);
    const later = await addUser(1);
    expect(await announce()).toBe(0);
    await gateway.database.query(`update expiring_model_scan set began_at = now() - interval '61 minutes'`);
    expect(await announce()).toBe(1);
    expect((await events()).map(({ workspace }) => workspace)).toEqual([
      gateway.workspaceId,
      later.workspaceId,
    ]);
    await gateway.database.query('delete from daily_usage where workspace_id <> $1', [gateway.workspaceId]);
  });

  test('continues in the next call when its time is over', async () => {
    expect(await announce(0)).toBe(0);
    expect(await announce()).toBe(1);
    expect(await announce()).toBe(0);
  });

  test('loses and repeats nothing when the worker dies within a page', async () => {
    await addUser(1);
    let rendered = 0;
    const dying: AnnounceExpiryDeps = {
      ...deps,
      renderExpiry(...args) {
        rendered += 1;
        if (rendered > 1) throw new Error('gone');
        return deps.renderExpiry(...args);
      },
    };
    await expect(announceExpiry(dying, { limitMs: 60_000 })).rejects.toThrow('gone');
    expect(await events()).toHaveLength(1);
    expect(await announce()).toBe(1);
    expect(await events()).toHaveLength(2);
    await gateway.database.query('delete from daily_usage where workspace_id <> $1', [gateway.workspaceId]);
  });

  test('runs in the sweep, once for several workers', async () => {
    const reports = await Promise.all([1, 2].map(() => sweep(activities.sweeping.sweep)));
    expect(reports.reduce((sum, { expiring }) => sum + expiring, 0)).toBe(1);
    expect((await sweep(activities.sweeping.sweep, AbortSignal.abort())).expiring).toBe(0);
  });
});
