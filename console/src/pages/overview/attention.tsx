/** Lists what is wrong now, each entry with a link to the page that helps. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Call, callTo, useCall, type Schema } from '../../api/call.ts';
import { formatShare } from '../../format/numbers.ts';
import { Moment, Usd } from '../../parts/value/value.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import styles from './overview.module.css';

type Problems = Schema<'Problems'>;

const REFRESH_MS = 60_000;

export function Attention() {
  const call = callTo('GET', '/organization/problems', {});
  return (
    <Loaded query={useCall(call, { isLive: true, everyMs: REFRESH_MS })} what="what is wrong now">
      {({ data }) => <Notes notes={notesOf(data)} call={call} />}
    </Loaded>
  );
}

function Notes({ notes, call }: { notes: readonly ReactNode[]; call: Call }) {
  const isCalm = notes.length === 0;
  return (
    <section className={isCalm ? undefined : styles['attention']} aria-label="Needs attention">
      <div className="row spread">
        {isCalm ? <p className="muted">Nothing is wrong now.</p> : <h2>Needs attention</h2>}
        <CopyCurl call={call} />
      </div>
      {!isCalm && <ul>{notes}</ul>}
    </section>
  );
}

function notesOf({ limits, destinations, webhooks, jobs, circuits, has_more: more }: Problems): ReactNode[] {
  return [
    ...limits.map(noteOfLimit),
    ...destinations.map(noteOfDestination),
    ...webhooks.map(noteOfWebhook),
    ...jobs.map(noteOfJob),
    ...circuits.map(noteOfCircuit),
    ...more.map((kind) => <li key={`more ${kind}`}>There are more than 20 {WORDS[kind]}.</li>),
  ];
}

const WORDS: Record<Problems['has_more'][number], string> = {
  limits: 'limits near their end',
  destinations: 'destinations that do not receive',
  webhooks: 'webhooks that fail',
  jobs: 'unconfirmed jobs',
  circuits: 'endpoints that requests skip',
};

function noteOfLimit(limit: Problems['limits'][number]) {
  const { payer, payer_id: id, name, reset_interval: interval, limit_usd: whole, spent_usd: spent } = limit;
  return (
    <li key={`${payer} ${id} ${interval}`}>
      <Payer limit={limit} name={name ?? id} />: {formatShare(spent / whole)} of{' '}
      {interval === 'lifetime' ? '' : `${interval} `}
      {payer === 'organization' ? 'credit' : 'limit'} spent, <Usd value={spent} /> of <Usd value={whole} />.
    </li>
  );
}

function Payer({ limit, name }: { limit: Problems['limits'][number]; name: string }) {
  if (limit.payer === 'organization') return <>Your organization</>;
  if (limit.payer === 'workspace') {
    return (
      <>
        Workspace{' '}
        <Link to="/workspaces/$id" params={{ id: limit.payer_id }}>
          <bdi>{name}</bdi>
        </Link>
      </>
    );
  }
  return (
    <>
      Key{' '}
      <Link to="/keys" search={{ workspace_id: limit.workspace_id ?? undefined }}>
        <bdi>{name}</bdi>
      </Link>
    </>
  );
}

function noteOfDestination(destination: Problems['destinations'][number]) {
  const { id, name, type, state, reason, failing_since: since } = destination;
  return (
    <li key={id}>
      Destination{' '}
      <Link to="/destinations/$id" params={{ id }}>
        <bdi>{name ?? type}</bdi>
      </Link>{' '}
      {state === 'disabled' ? 'was disabled after a day of failures' : 'does not receive'}
      {since !== null && (
        <>
          , since <Moment at={since} />
        </>
      )}
      . <bdi>{reason}</bdi>
    </li>
  );
}

function noteOfWebhook(webhook: Problems['webhooks'][number]) {
  const { workspace_id: workspaceId, workspace_name: name, url, failing_since: since } = webhook;
  return (
    <li key={`${workspaceId} ${url}`}>
      <Link to="/webhooks" search={{ workspace_id: workspaceId, status: undefined, since: undefined }}>
        Webhooks
      </Link>{' '}
      of workspace <bdi>{name}</bdi> to <bdi>{url}</bdi> fail since <Moment at={since} />.
    </li>
  );
}

function noteOfJob(job: Problems['jobs'][number]) {
  const { id, model, provider_name: provider, state, sent_at: at } = job;
  return (
    <li key={`${id} ${at}`}>
      <Link to="/jobs/$id" params={{ id }}>
        Video job
      </Link>{' '}
      of <bdi>{model}</bdi>: <bdi>{provider}</bdi>{' '}
      {state === 'unconfirmed'
        ? 'did not confirm whether it accepted the job'
        : 'may still work on it after its end'}
      , sent <Moment at={at} />.
    </li>
  );
}

function noteOfCircuit(circuit: Problems['circuits'][number]) {
  const { endpoint_id: endpoint, model, provider_name: provider, is_own: isOwn, opened_at: since } = circuit;
  const [author = '', slug = ''] = model.split('/');
  return (
    <li key={`${endpoint} ${isOwn}`}>
      Requests for{' '}
      <Link to="/models/$author/$slug" params={{ author, slug }}>
        <bdi>{model}</bdi>
      </Link>{' '}
      skip <bdi>{provider}</bdi>
      {isOwn && ' with your own access'} since <Moment at={since} />, because too many calls failed.
    </li>
  );
}
