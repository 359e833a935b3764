/** Records running child processes on disk, so that the next run can stop those of a killed run. */
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processIdentity } from './process-identity.ts';
import { StackError } from '../stack-error.ts';
import { isRunning, stopProcess, type ProcessRef, type StopPlan } from './stop-process.ts';

/** The facts that the next run needs to stop a child if this run is killed. */
export interface RecordedChild extends ProcessRef {
  name: string;
  plan: StopPlan;
}

interface RecordFile {
  /** The process that supervises the children. */
  owner: ProcessRef;
  /** The children in the order of their start. */
  children: RecordedChild[];
}

export interface ProcessRecord {
  owner: ProcessRef;
  add(child: RecordedChild): void;
  remove(pid: number): void;
  /** Deletes the record, after all children have ended. */
  close(): void;
}

/**
 * Registers this process as the one that runs a stack in `dataDir`, and stops the children of a killed run. Throws if
 * another process runs a stack there.
 */
export async function claimDataDir(dataDir: string, say: (text: string) => void): Promise<ProcessRecord> {
  requireOwnFolder(dataDir);
  const earlier = readRecord(dataDir);
  if (earlier !== undefined && isRunning(earlier.owner)) {
    throw new StackError(
      `Sluice already runs from ${dataDir} (process ${earlier.owner.pid}).\n` +
        'Use it as it is (npm run demo does), stop it with Ctrl-C, or set DATA_DIR and other ports for a second one.',
    );
  }
  await stopOrphans(dataDir, say);
  return createRecord(dataDir);
}

function requireOwnFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StackError(
      `This user cannot write ${dataDir}; perhaps another user made it.\n` +
        'Run as that user, or set DATA_DIR to a folder of your own.',
      { cause: error },
    );
  }
}

function createRecord(dataDir: string): ProcessRecord {
  const identity = processIdentity(process.pid) ?? '';
  const record: RecordFile = { owner: { pid: process.pid, identity }, children: [] };
  const save = () => writeRecord(dataDir, record);
  save();
  return {
    owner: record.owner,
    add(child) {
      record.children.push(child);
      save();
    },
    remove(pid) {
      record.children = record.children.filter((child) => child.pid !== pid);
      save();
    },
    close: () => rmSync(recordPath(dataDir), { force: true }),
  };
}

/**
 * Stops the children of a killed run, last started first, and deletes the record. With `owner`, does nothing if the
 * record belongs to another process.
 */
export async function stopOrphans(
  dataDir: string,
  say: (text: string) => void,
  owner?: ProcessRef,
): Promise<void> {
  const record = readRecord(dataDir);
  if (record === undefined || (owner !== undefined && record.owner.identity !== owner.identity)) return;
  for (const child of record.children.toReversed()) {
    if (!isRunning(child)) continue;
    say(`Stopping ${child.name} (process ${child.pid}), left behind by a run that was killed ...`);
    await stopProcess(child, child.plan);
  }
  rmSync(recordPath(dataDir), { force: true });
}

function recordPath(dataDir: string): string {
  return path.join(dataDir, 'processes.json');
}

function readRecord(dataDir: string): RecordFile | undefined {
  try {
    return JSON.parse(readFileSync(recordPath(dataDir), 'utf8')) as RecordFile;
  } catch {
    // The file is usually absent. It is written under another name and renamed, so it is never incomplete.
    return undefined;
  }
}

function writeRecord(dataDir: string, record: RecordFile): void {
  const file = recordPath(dataDir);
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
