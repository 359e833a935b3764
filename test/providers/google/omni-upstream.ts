import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseFaults } from '../../../upstream/control.ts';
import { createFaultQueue, type FaultQueue, type JobFault } from '../../../upstream/faults.ts';
import { jsonReply, type Reply, UpstreamError } from '../../../upstream/reply.ts';
import type { Exchange, Route } from '../../../upstream/route.ts';
import type { VendorStandIn } from '../adapter-under-test.ts';
import { signed } from '../replicate-upstream.ts';
import { startVendorServer } from '../vendor-server.ts';
import { madeAnswer, MP4, signedByGoogle } from './omni-answers.ts';
import { type InteractionBody, interactionBody } from './omni-wire.ts';

/** An interaction of the stand-in, in memory. */
export interface MadeInteraction {
  id: string;
  body: InteractionBody;
  faults: FaultQueue;
  script: JobFault[];
  retrieves: number;
  /** How it was ended from outside. */
  ended?: 'made' | 'cancelled';
}

type AnswerMade = (made: Record<string, unknown>) => Reply;

/** A stand-in for Google's interactions, on their documented wire over real HTTP, with the usual faults. */
export interface OmniUpstream extends VendorStandIn {
  /** Oldest first. */
  interactions(): MadeInteraction[];
  /** Ends an interaction that stalls, and calls its webhook. */
  finish(id: string): Promise<Response | undefined>;
  /** Sends a callback with a JWT, as for one interaction, or signed by the secret of a webhook of the project. */
  sendCallback(id: string, options?: { to?: string; secret?: string }): Promise<Response>;
  /** Changes the answers about interactions that made a video; undefined restores them. */
  answerWith(answer: AnswerMade | undefined): void;
  /** The state of all files. */
  keepFilesIn(state: string): void;
}

interface Cloud {
  interactions: Map<string, MadeInteraction>;
  faults: FaultQueue;
  routes: Route[];
  fileState: string;
  answer?: AnswerMade | undefined;
  url(): string;
}

export async function startOmniUpstream(): Promise<OmniUpstream> {
  const faults = createFaultQueue();
  const interactions = new Map<string, MadeInteraction>();
  const cloud: Cloud = { interactions, faults, routes: [], fileState: 'ACTIVE', url: () => server.origin };
  cloud.routes.push(...interactionRoutes(cloud));
  const server = await startVendorServer({
    faults,
    keyHeader: 'x-goog-api-key',
    refusal: (_status, { message, code }) => ({ error: { message, code: code ?? 'invalid_request' } }),
    routes: cloud.routes,
  });
  const sendCallback: OmniUpstream['sendCallback'] = async (id, { to, secret } = {}) => {
    const event = { type: 'interaction.completed', version: 'v1', data: { id } };
    const body = JSON.stringify(event);
    const address = to ?? interactions.get(id)?.body.webhook_config?.uris[0];
    if (address === undefined) throw new Error('no webhook was asked for');
    const headers = secret === undefined ? signedByGoogle(id, event) : signed(secret, id, body);
    return fetch(address, { method: 'POST', headers, body });
  };
  return {
    url: server.origin,
    baseUrl: `${server.origin}/v1beta`,
    upstream: {
      addFaults: (...added) => faults.add(parseFaults(added)),
      clearFaults: () => faults.clear(),
      requests: (target) => server.log.list({ target }),
      close: () => server.close(),
    },
    call: (method, path) => fetch(server.origin + path, { method }),
    interactions: () => [...interactions.values()],
    sendCallback,
    answerWith: (answer) => (cloud.answer = answer),
    keepFilesIn: (state) => (cloud.fileState = state),
    async finish(id) {
      const interaction = interactions.get(id);
      if (interaction === undefined) throw new Error(`no interaction ${id}`);
      interaction.ended = 'made';
      return interaction.body.webhook_config === undefined ? undefined : sendCallback(id);
    },
  };
}

function interactionRoutes(cloud: Cloud): Route[] {
  const ofId = async ({ params }: Exchange) => cloud.interactions.get(params['id'] ?? '')?.faults;
  const ofInput = async (exchange: Exchange) => {
    const { faults } = (await exchange.fields()).values;
    return createFaultQueue(faults === undefined ? [] : parseFaults(faults));
  };
  const find = ({ params }: Exchange): MadeInteraction => {
    const interaction = cloud.interactions.get(params['id'] ?? '');
    if (interaction === undefined) throw new UpstreamError(400, 'Invalid interaction name.');
    return interaction;
  };
  const path = '/v1beta/interactions';
  return [
    { method: 'GET', path: '/healthz', keyless: true, handle: () => jsonReply(200, {}) },
    {
      method: 'POST',
      path,
      target: 'create',
      faults: ofInput,
      handle: withOneCredential(async (exchange) => create(cloud, exchange, await ofInput(exchange))),
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      target: 'retrieve',
      faults: ofId,
      handle: withOneCredential((exchange) => retrieve(cloud, find(exchange))),
    },
    {
      method: 'POST',
      path: `${path}/:id/cancel`,
      target: 'delete',
      faults: ofId,
      handle: withOneCredential((exchange) => cancel(cloud, find(exchange))),
    },
  ];
}

function withOneCredential(handle: Route['handle']): Route['handle'] {
  return (exchange) => {
    if (exchange.headers.authorization === undefined && !exchange.query.has('key')) return handle(exchange);
    throw new UpstreamError(400, 'Multiple authentication credentials received. Please pass only one.');
  };
}

async function create(cloud: Cloud, exchange: Exchange, faults: FaultQueue): Promise<Reply> {
  const { faults: _, ...values } = (await exchange.fields()).values;
  const { data: body, error } = interactionBody.safeParse(values);
  if (error !== undefined) throw new UpstreamError(400, z.prettifyError(error));
  const { previous_interaction_id: previous } = body;
  if (previous !== undefined && !cloud.interactions.has(previous))
    throw new UpstreamError(400, 'Invalid interaction name.');
  const script = [...faults.takeForJob(), ...cloud.faults.takeForJob()];
  const interaction: MadeInteraction = { id: `v1_${randomUUID()}`, body, faults, script, retrieves: 0 };
  cloud.interactions.set(interaction.id, interaction);
  cloud.routes.push(...fileRoutes(cloud, interaction));
  return jsonReply(200, { id: interaction.id, status: 'in_progress', object: 'interaction' });
}

function has({ script }: MadeInteraction, kind: JobFault['kind']): boolean {
  return script.some((fault) => fault.kind === kind);
}

function isOver(interaction: MadeInteraction): boolean {
  return interaction.ended !== undefined || !has(interaction, 'stall');
}

function retrieve(cloud: Cloud, interaction: MadeInteraction): Reply {
  const { id, body, script } = interaction;
  const vanish = script.find((fault) => fault.kind === 'vanish');
  if (vanish !== undefined && interaction.retrieves >= vanish.afterRetrieves) {
    cloud.interactions.delete(id);
    throw new UpstreamError(400, 'Invalid interaction name.');
  }
  interaction.retrieves += 1;
  const common = { id, object: 'interaction', model: body.model, created: '2026-11-28T00:00:00Z' };
  const failed = (code: string, message: string) =>
    jsonReply(200, { ...common, status: 'failed', errors: [{ code, message }] });
  if (!isOver(interaction)) return jsonReply(200, { ...common, status: 'in_progress' });
  const failure = script.find((fault) => fault.kind === 'fail');
  if (failure !== undefined) return failed(failure.code, failure.message);
  if (has(interaction, 'expire')) return failed('deadline_exceeded', 'Took too long');
  if (interaction.ended === 'cancelled' || has(interaction, 'cancel'))
    return jsonReply(200, { ...common, status: 'cancelled' });
  const charge = script.find((fault) => fault.kind === 'charge');
  const made = madeAnswer(common, body, `${cloud.url()}/v1beta/files/${id}:download?alt=media`, charge);
  return cloud.answer?.(made) ?? jsonReply(200, made);
}

function cancel(cloud: Cloud, interaction: MadeInteraction): Reply {
  if (isOver(interaction) && interaction.ended !== 'cancelled')
    throw new UpstreamError(400, 'The interaction has ended.');
  interaction.ended = 'cancelled';
  return retrieve(cloud, interaction);
}

/** A file has routes of its own, because `:download` belongs to the last segment of a path. */
function fileRoutes(cloud: Cloud, { id, faults }: MadeInteraction): Route[] {
  const mp4 = (): Reply => ({ status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 });
  return [
    {
      method: 'GET',
      path: `/v1beta/files/${id}`,
      handle: () => jsonReply(200, { name: `files/${id}`, mimeType: 'video/mp4', state: cloud.fileState }),
    },
    {
      method: 'GET',
      path: `/v1beta/files/${id}:download`,
      target: 'content',
      faults: async () => faults,
      handle: withOneCredential(({ query }) => {
        if (query.get('alt') !== 'media') throw new UpstreamError(400, 'alt must be media');
        return { ...mp4(), keylessPath: `/links/${id}` };
      }),
    },
    { method: 'GET', path: `/links/${id}`, keyless: true, handle: mp4 },
  ];
}
