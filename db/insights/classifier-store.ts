/** Stores classifiers of workspaces, and the tags that customers put on generations. */
import type { Classifier, ClassifierChanges, Tag } from '../../domain/insights/classifier.ts';
import { newUuid, timestampOfId } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface NewClassifier {
  workspaceId: string;
  name: string;
  description: string | null;
  isActive: boolean;
}

export interface ClassifierPage {
  limit: number;
  offset: number;
  includeInactive: boolean;
}

interface ClassifierRow {
  id: string;
  workspace_id: string;
  name: string;
  description: string | null;
  is_active: boolean;
  created_at: Date;
  updated_at: Date;
}

const OF_ORGANIZATION = `
  from classifiers c join workspaces w on w.id = c.workspace_id
  where w.organization_id = ?`;

/** SQL: the workspace is not deleted. With a lock after it, the query waits for a running deletion. */
const LIVING = 'and w.deleted_at is null';

/**
 * Stores classifiers and their tags. An organization sees only its own; those of deleted workspaces can only be read.
 */
export function createClassifierStore(handle: Handle) {
  return {
    ...classifierReads(handle),
    ...classifierTags(handle),

    /**
     * Inserts a classifier. The caller holds the workspace's lock, so that creation times follow the order of commits
     * and a new one appears on the last page.
     */
    async insert({ workspaceId, name, description, isActive }: NewClassifier): Promise<Classifier> {
      const [row] = await uncheckedRowsOf<ClassifierRow>(
        handle,
        `insert into classifiers (id, workspace_id, name, description, is_active, created_at, updated_at)
         select ?, ?, ?, ?, ?, now, now from clock_timestamp() now returning *`,
        [newUuid(), workspaceId, name, description, isActive],
      );
      if (row === undefined) throw new Error('insert returned no row');
      return toClassifier(row);
    },

    async update(id: string, { name, description, isActive }: ClassifierChanges): Promise<Classifier> {
      const [row] = await handle<ClassifierRow>('classifiers')
        .where({ id })
        .update({
          updated_at: handle.fn.now(),
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
          ...(isActive === undefined ? {} : { is_active: isActive }),
        })
        .returning('*');
      if (row === undefined) throw new Error('update returned no row');
      return toClassifier(row);
    },
  };
}

export type ClassifierStore = ReturnType<typeof createClassifierStore>;

/** Builds the methods that read classifiers. */
function classifierReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string) => findWhere(handle, organizationId, id, ''),

    /** Returns a classifier and locks it until the commit. Null if it does not exist, or its workspace is deleted. */
    lock: (organizationId: string, id: string) =>
      findWhere(handle, organizationId, id, `${LIVING} for key share of w for no key update of c`),

    /**
     * Returns a classifier and prevents the deletion of its workspace until the commit. Null if it does not exist, or
     * its workspace is deleted.
     */
    hold: (organizationId: string, id: string) =>
      findWhere(handle, organizationId, id, `${LIVING} for key share of w`),

    /** Lists classifiers, the oldest first, so that a new one does not move others to another page. */
    async list(
      workspaceId: string,
      { limit, offset, includeInactive }: ClassifierPage,
    ): Promise<{ classifiers: Classifier[]; totalCount: number }> {
      const where = `workspace_id = ?${includeInactive ? '' : ' and is_active'}`;
      const rows = await uncheckedRowsOf<ClassifierRow>(
        handle,
        `select * from classifiers where ${where} order by created_at, id limit ? offset ?`,
        [workspaceId, limit, offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from classifiers where ${where}`,
        [workspaceId],
      );
      return { classifiers: rows.map(toClassifier), totalCount: Number(count?.n ?? 0) };
    },
  };
}

/** Builds the methods that tag generations. */
function classifierTags(handle: Handle) {
  return {
    /** Returns the ids of those generations that exist in the workspace. */
    async generationsOf(workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const times = ids.map((id) => new Date(timestampOfId(id)));
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `select g.id from unnest(?::timestamptz[], ?::text[]) requested (created_at, id)
         join generations g on g.created_at = requested.created_at and g.id = requested.id
         where g.workspace_id = ? and g.created_at between ? and ?`,
        [times, [...ids], workspaceId, earliest(times), latest(times)],
      );
      return new Set(rows.map(({ id }) => id));
    },

    /** Adds tags and returns the number of new ones. */
    async addTags(classifierId: string, tags: readonly Tag[]): Promise<number> {
      const rows = await uncheckedRowsOf<{ one: number }>(
        handle,
        `insert into classifier_tags (classifier_id, created_at, generation_id, dimension, value)
         select ?::uuid, * from unnest(?::timestamptz[], ?::text[], ?::text[], ?::text[])
         order by 1, 2, 3, 4, 5
         on conflict do nothing returning 1 one`,
        [
          classifierId,
          tags.map(({ generationId }) => new Date(timestampOfId(generationId))),
          tags.map(({ generationId }) => generationId),
          tags.map(({ dimension }) => dimension),
          tags.map(({ value }) => value),
        ],
      );
      return rows.length;
    },
  };
}

async function findWhere(
  handle: Handle,
  organizationId: string,
  id: string,
  rest: string,
): Promise<Classifier | null> {
  const [row] = await uncheckedRowsOf<ClassifierRow>(
    handle,
    `select c.* ${OF_ORGANIZATION} and c.id = ? ${rest}`,
    [organizationId, id],
  );
  return row === undefined ? null : toClassifier(row);
}

/**
 * Returns the earliest time. Statements need a range in addition to their list of times, because the planner does not
 * use lists to skip partitions.
 */
function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map(Number)));
}

function latest(times: readonly Date[]): Date {
  return new Date(Math.max(...times.map(Number)));
}

function toClassifier(row: ClassifierRow): Classifier {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    isActive: row.is_active,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
