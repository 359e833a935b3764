/** Manages classifiers, which are an organization's own categories, and the tags that they give to generations. */
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { type ClassifierPage, createClassifierStore } from '../../db/insights/classifier-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import type { Classifier, ClassifierChanges, Tag } from '../../domain/insights/classifier.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { GENERATION_ID_PATTERN } from '../../domain/ids.ts';
import type { Actor } from '../../domain/principal.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';
import { defaultWorkspaceId } from '../accounts/workspaces/find-workspace.ts';
import { requireFound, requireId } from '../require-found.ts';

export interface ClassifierDraft {
  name: string;
  description: string | null;
  isActive: boolean;
  /** The workspace; the organization's default one when absent. */
  workspaceId?: string | undefined;
}

/**
 * Manages classifiers of the organization's workspaces. Any other id of a classifier or workspace gets a 404.
 * Classifiers of a deleted workspace can only be read. Each write leaves an audit row.
 */
export function createClassifierService({ knex }: { knex: Handle }) {
  const store = createClassifierStore(knex);
  return {
    async create(actor: Actor, draft: ClassifierDraft, once: OnceOptions<Classifier>): Promise<OnceAnswer> {
      const { workspaceId: requestedId, ...facts } = draft;
      const { organizationId } = actor;
      const id = requestedId ?? (await defaultWorkspaceId(knex, organizationId));
      const operation = 'createClassifier';
      const make = async (transaction: Handle): Promise<Classifier> => {
        const workspace = await createWorkspaceStore(transaction).lock(organizationId, { id });
        const { id: workspaceId } = requireFound(workspace);
        const made = await createClassifierStore(transaction).insert({ ...facts, workspaceId });
        await audit(transaction, actor, operation, made.id);
        return made;
      };
      return doOnce({ knex, scope: { organizationId, workspaceId: id, operation }, make }, once);
    },
    async list(
      organizationId: string,
      { workspaceId, ...page }: ClassifierPage & { workspaceId?: string | undefined },
    ): Promise<{ classifiers: Classifier[]; totalCount: number }> {
      return store.list(await workspaceOf(knex, organizationId, workspaceId), page);
    },
    async get(organizationId: string, id: string): Promise<Classifier> {
      return requireFound(await store.find(organizationId, requireId(id)));
    },
    update: (actor: Actor, id: string, changes: ClassifierChanges): Promise<Classifier> =>
      knex.transaction(async (transaction) => {
        const own = createClassifierStore(transaction);
        const classifier = requireFound(await own.lock(actor.organizationId, requireId(id)));
        const updated = await own.update(classifier.id, changes);
        await audit(transaction, actor, 'updateClassifier', classifier.id);
        return updated;
      }),
    /**
     * Tags all given generations or none. Throws a 400 that names generations which the classifier's workspace does not
     * have. `respond` receives the number of new tags.
     */
    async addTags(
      actor: Actor,
      id: string,
      tags: readonly Tag[],
      once: OnceOptions<number>,
    ): Promise<OnceAnswer> {
      const { organizationId } = actor;
      const { workspaceId } = requireFound(await store.find(organizationId, requireId(id)));
      const operation = 'addClassifierTags';
      const make = async (transaction: Handle): Promise<number> => {
        const own = createClassifierStore(transaction);
        const classifier = requireFound(await own.hold(organizationId, requireId(id)));
        await requireGenerations(own.generationsOf, classifier.workspaceId, tags);
        const added = await own.addTags(classifier.id, tags);
        await audit(transaction, actor, operation, classifier.id);
        return added;
      };
      return doOnce({ knex, scope: { organizationId, workspaceId, operation }, make }, once);
    },
  };
}

async function audit(transaction: Handle, actor: Actor, action: string, id: string): Promise<void> {
  await createAuditStore(transaction).insert(actor, { action, target: `classifiers/${id}` });
}

async function requireGenerations(
  generationsOf: (workspaceId: string, ids: readonly string[]) => Promise<Set<string>>,
  workspaceId: string,
  tags: readonly Tag[],
): Promise<void> {
  const ids = new Set(tags.map(({ generationId }) => generationId));
  const wellFormed = [...ids].filter((id) => GENERATION_ID_PATTERN.test(id));
  const existing = await generationsOf(workspaceId, wellFormed);
  const message = 'is no generation of the workspace of the classifier';
  const issues = tags.flatMap(({ generationId }, index) =>
    existing.has(generationId) ? [] : [{ path: `body.tags.${index}.generation_id`, message }],
  );
  if (issues.length > 0) throw invalidRequest(...issues.slice(0, 100));
}

async function workspaceOf(
  knex: Handle,
  organizationId: string,
  workspaceId: string | undefined,
): Promise<string> {
  if (workspaceId === undefined) return defaultWorkspaceId(knex, organizationId);
  const workspace = await createAccountStore(knex).findWorkspace(workspaceId);
  if (workspace === null || workspace.organizationId !== organizationId) throw new AppError('not_found');
  return workspace.id;
}

export type ClassifierService = ReturnType<typeof createClassifierService>;
