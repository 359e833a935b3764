/** Creates a destination, or changes one. Its fields come from the API's own description of each type. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { components } from '../../../generated/api.d.ts';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { SelectField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Loaded } from '../../parts/states/states.tsx';
import {
  type DestinationRecord,
  type DestinationSchemas,
  type Setting,
  useDestinationSchemas,
} from './schemas.ts';
import { type Draft, draftOf, type Present, SettingField, valueOf } from './setting-field.tsx';

interface DestinationFormProps {
  /** The destination to change. Absent: a new one. */
  record?: DestinationRecord;
  /** The workspace of a new one. Absent: the default workspace. */
  workspaceId?: string | undefined;
  onClose: () => void;
}

export function DestinationForm(props: DestinationFormProps) {
  const { record, onClose } = props;
  return (
    <Dialog title={record ? `Edit “${record.name ?? record.type}”` : 'Create destination'} onClose={onClose}>
      <Loaded query={useDestinationSchemas()} what="the types of destinations">
        {(schemas) => <FormOfType {...props} schemas={schemas} />}
      </Loaded>
    </Dialog>
  );
}

type Body = components['schemas']['NewObservabilityDestination'];

function FormOfType({
  record,
  workspaceId,
  onClose,
  schemas,
}: DestinationFormProps & { schemas: DestinationSchemas }) {
  const [type, setType] = useState(record?.type ?? 'webhook');
  const { properties, required = [] } = schemas.configs.find(({ title }) => title === type)!;
  const present: Record<string, Present> = { ...record?.config };
  const [name, setName] = useState(record?.name ?? '');
  const [config, setConfig] = useState<Draft>(() =>
    Object.fromEntries(
      Object.entries(present).flatMap(([key, value]) =>
        properties[key]?.writeOnly ? [] : [[key, draftOf(value)]],
      ),
    ),
  );
  const [rules, setRules] = useState<Draft>(() => rulesOf(schemas, record));
  const body = {
    name,
    ...valuesOf(schemas.rules, rules),
    // A secret that is sent as its mask stays as it is.
    config: valuesOf(properties, config, present) as Body['config'],
  };
  const { save, call } = useSave({ record, body, type, workspaceId, onClose });
  const problem = save.error === null ? undefined : asProblem(save.error);
  const issueOf = (path: string) =>
    problem?.issues.find((issue) => `${issue.path}.`.startsWith(`body.${path}.`))?.message;
  return (
    <Form attempt={save} call={call} action={record ? 'Save' : 'Create destination'} onCancel={onClose}>
      {record === undefined && (
        <SelectField
          label="Type"
          value={type}
          options={schemas.configs.map(({ title = '' }) => ({ value: title, label: title }))}
          onPick={(picked) => {
            setType(picked as Body['type']);
            setConfig({});
          }}
        />
      )}
      <TextField
        label="Name"
        required
        problem={issueOf('name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SettingFields
        settings={properties}
        required={required}
        present={present}
        draft={config}
        issueOf={(key) => issueOf(`config.${key}`)}
        onChange={setConfig}
      />
      <SettingFields settings={schemas.rules} draft={rules} issueOf={issueOf} onChange={setRules} />
    </Form>
  );
}

interface SettingFieldsProps {
  settings: DestinationSchemas['rules'];
  required?: readonly string[];
  /** What the API has now. Its secrets are masks. */
  present?: Record<string, Present>;
  draft: Draft;
  issueOf: (key: string) => string | undefined;
  onChange: (draft: Draft) => void;
}

function SettingFields(props: SettingFieldsProps) {
  const { settings, required = [], present = {}, draft, issueOf, onChange } = props;
  return Object.entries(settings).map(([key, setting]) => (
    <SettingField
      key={key}
      name={key}
      setting={setting}
      value={draft[key]}
      isRequired={required.includes(key)}
      mask={maskOf(setting, present[key])}
      problem={issueOf(key)}
      onChange={(value) => onChange({ ...draft, [key]: value })}
    />
  ));
}

const maskOf = ({ writeOnly }: Setting, present: Present): string | undefined =>
  writeOnly && typeof present === 'string' ? present : undefined;

interface SaveOptions extends DestinationFormProps {
  body: { name: string; config: Body['config'] };
  type: Body['type'];
}

function useSave({ record, body, type, workspaceId, onClose }: SaveOptions) {
  const queries = useQueryClient();
  // A second click, or a repetition after a lost answer, creates no second destination.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const headers = { 'Idempotency-Key': idempotencyKey };
  const id = record?.id;
  const newBody: Body = { ...body, type, workspace_id: workspaceId };
  const save = useMutation({
    mutationFn: () =>
      id === undefined
        ? read(api.POST('/observability/destinations', { body: newBody, headers }))
        : read(api.PATCH('/observability/destinations/{id}', { params: { path: { id } }, body })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [id === undefined ? 'destinations' : 'destination'] });
      onClose();
    },
  });
  const path = '/observability/destinations';
  const call =
    id === undefined
      ? ({ method: 'POST', path, body: newBody } as const)
      : ({ method: 'PATCH', path: `${path}/${id}`, body } as const);
  return { save, call };
}

function rulesOf({ rules }: DestinationSchemas, record: DestinationRecord | undefined): Draft {
  const present = { ...record } as Record<string, Present>;
  return Object.fromEntries(Object.keys(rules).map((key) => [key, draftOf(present[key])]));
}

/** Returns the settings with a value. Secrets without one keep their mask. */
function valuesOf(
  settings: DestinationSchemas['rules'],
  draft: Draft,
  present: Record<string, Present> = {},
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, setting]) => {
      const value = valueOf(setting, draft[key]) ?? (setting.writeOnly ? present[key] : undefined);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
