/** Lists the budgets of a workspace, and sets and removes them. */
import { useState } from 'react';
import { type Call, callTo, useCall, type Schema } from '../../api/call.ts';
import { TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';

const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
type Interval = (typeof INTERVALS)[number];
const LABELS: Record<Interval, string> = {
  daily: 'Each day',
  weekly: 'Each week',
  monthly: 'Each month',
  lifetime: 'In all',
};

/** The texts of the fields; empty: no budget. */
type Limits = Record<Interval, string>;

export function Budgets({ id }: { id: string }) {
  const call = callTo('GET', '/workspaces/{id}/budgets', { path: { id } });
  return (
    <Card title="Budgets" call={call}>
      <p>
        The most that all keys of this workspace may spend together, in US dollars. Empty: no budget. A budget
        that is spent already refuses requests at once.
      </p>
      <Loaded query={useCall(call)} what="the budgets">
        {({ data }) => <BudgetForm key={JSON.stringify(data)} id={id} present={limitsOf(data)} />}
      </Loaded>
    </Card>
  );
}

function limitsOf(budgets: readonly Schema<'WorkspaceBudget'>[]): Limits {
  const limits: Limits = { daily: '', weekly: '', monthly: '', lifetime: '' };
  for (const { reset_interval: interval, limit_usd: limit } of budgets)
    limits[interval ?? 'lifetime'] = String(limit);
  return limits;
}

function BudgetForm({ id, present }: { id: string; present: Limits }) {
  const [limits, setLimits] = useState(present);
  const calls = INTERVALS.filter((interval) => limits[interval] !== present[interval]).map((interval) =>
    callFor(id, interval, limits[interval]),
  );
  return (
    <Form call={allOf(calls)} action="Save budgets">
      {INTERVALS.map((interval) => (
        <TextField
          key={interval}
          label={LABELS[interval]}
          type="number"
          min={0}
          step="any"
          value={limits[interval]}
          onText={(text) => setLimits({ ...limits, [interval]: text })}
        />
      ))}
    </Form>
  );
}

function callFor(id: string, interval: Interval, limit: string): Call {
  const [url, path] = ['/workspaces/{id}/budgets/{interval}', { id, interval }] as const;
  if (limit === '') return callTo('DELETE', url, { path });
  return callTo('PUT', url, { path, body: { limit_usd: Number(limit) } });
}

/** Sends the calls one after the other. As curl, it is the first of them. */
function allOf([first, ...others]: readonly Call[]): Call | undefined {
  return (
    first && {
      ...first,
      async send(signal) {
        for (const call of [first, ...others]) await call.send(signal);
      },
    }
  );
}
