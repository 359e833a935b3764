/** Lays out the columns of a list of keys, with their actions. */
import { Link } from '@tanstack/react-router';
import { NONE } from '../../format/numbers.ts';
import { Badge, Moment, Usd, Named } from '../../parts/value/value.tsx';
import { Button } from '../../parts/button/button.tsx';
import { isPast } from '../../format/moments.ts';
import type { Column } from '../../parts/table/table.tsx';
import type { Key, KeyAction } from './key-form.tsx';

type Workspaces = readonly { id: string; name: string }[];

/** Returns the columns. With workspaces, the keys are of several, and each row names its own. */
export function keyColumns(
  workspaces: Workspaces | undefined,
  onAction: (action: KeyAction, key: Key) => void,
): Column<Key>[] {
  return [
    {
      name: 'Name',
      cell: (key) => (
        <Named id={key.label}>
          <Link to="/generations" search={{ api_key_hash: key.hash }} title="Show its generations">
            <bdi>{key.name}</bdi>
          </Link>
        </Named>
      ),
    },
    ...(workspaces === undefined ? [] : [{ name: 'Workspace', cell: workspaceIn(workspaces) }]),
    { name: 'State', cell: (key) => <KeyState subject={key} /> },
    {
      name: 'Last used',
      cell: ({ last_used_at: at }) => (at === null ? 'never' : <Moment at={at} isRelative />),
    },
    { name: 'This month', isNumber: true, cell: ({ usage_monthly: usage }) => <Usd value={usage} /> },
    { name: 'In all', isNumber: true, cell: ({ usage }) => <Usd value={usage} /> },
    { name: 'Limit', isNumber: true, cell: (key) => <Limit subject={key} /> },
    {
      name: 'Actions',
      isNameHidden: true,
      cell: (key) => (
        <div className="row">
          <Button look="quiet" aria-label={`Edit ${key.name}`} onClick={() => onAction('edit', key)}>
            Edit
          </Button>
          <Button
            look="quiet"
            aria-label={`${key.disabled ? 'Enable' : 'Disable'} ${key.name}`}
            onClick={() => onAction('switch', key)}
          >
            {key.disabled ? 'Enable' : 'Disable'}
          </Button>
          <Button look="quiet" aria-label={`Delete ${key.name}`} onClick={() => onAction('delete', key)}>
            Delete
          </Button>
        </div>
      ),
    },
  ];
}

const workspaceIn =
  (workspaces: Workspaces) =>
  ({ workspace_id: id }: Key) => <bdi>{workspaces.find((workspace) => workspace.id === id)?.name ?? id}</bdi>;

function KeyState({ subject: { disabled, expires_at: end } }: { subject: Key }) {
  if (disabled) return <Badge tone="warn">disabled</Badge>;
  if (end === null) return <Badge tone="good">enabled</Badge>;
  if (isPast(end)) return <Badge tone="bad">expired</Badge>;
  return (
    <>
      <Badge tone="good">enabled</Badge> until <Moment at={end} />
    </>
  );
}

function Limit({ subject: { limit, limit_remaining: left, limit_reset: reset } }: { subject: Key }) {
  if (limit === null) return <>{NONE}</>;
  return (
    <>
      <Usd value={limit} /> {reset ?? 'in all'}
      <br />
      <small>
        <Usd value={left} /> left
      </small>
    </>
  );
}
