import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { findFreePorts } from '../../../dev/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { type ScimPlace, scimTool } from './scim-tools.ts';

export interface Scim2Server extends ScimPlace {
  /** Returns the id of a new person. */
  addPerson(userName: string, more?: object): Promise<string>;
  /** Returns the id of a new group of these people. */
  addGroup(displayName: string, memberIds: readonly string[]): Promise<string>;
  /** Takes the person out of the group, which the server does not do when it deletes the person. */
  removePerson(id: string, groupId: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts an empty `scim2-server`, whose people and groups are made by its own SCIM operations. */
export async function startScim2Server(): Promise<Scim2Server> {
  const [port = 0] = await findFreePorts(1);
  const token = randomBytes(16).toString('hex');
  const baseUrl = `http://127.0.0.1:${port}/v2`;
  const args = ['--port', `${port}`, '--bearer-token', token];
  const child = spawn(scimTool('scim2-server'), args, { stdio: 'ignore' });
  const ended = once(child, 'exit');

  async function ask(method: string, target: string, body?: object): Promise<{ id: string }> {
    const response = await fetch(`${baseUrl}${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as { id: string };
  }

  await eventually('scim2-server', async () => {
    if (child.exitCode !== null) throw new Error(`scim2-server ended with ${child.exitCode}`);
    return ask('GET', '/ServiceProviderConfig').catch(() => undefined);
  });
  return {
    baseUrl,
    token,
    async addPerson(userName, more = {}) {
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
      const { id } = await ask('POST', '/Users', { schemas, userName, active: true, ...more });
      return id;
    },
    async addGroup(displayName, memberIds) {
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
      const members = memberIds.map((value) => ({ value, type: 'User', $ref: `${baseUrl}/Users/${value}` }));
      const { id } = await ask('POST', '/Groups', { schemas, displayName, members });
      return id;
    },
    async removePerson(id, groupId) {
      const Operations = [{ op: 'remove', path: `members[value eq "${id}"]` }];
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
      await ask('PATCH', `/Groups/${groupId}`, { schemas, Operations });
      await ask('DELETE', `/Users/${id}`);
    },
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
