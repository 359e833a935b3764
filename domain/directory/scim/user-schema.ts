/** Describes the SCIM attributes of users and employees. */
import { binary, boolean, complex, plural, reference, type ScimAttribute, text } from './attribute.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const ADDRESS = complex(
  'addresses',
  'Postal addresses.',
  [
    text('formatted', 'The whole address.'),
    text('streetAddress', 'Street, house number and the like.'),
    text('locality', 'The city.'),
    text('region', 'The state or region.'),
    text('postalCode', 'The postal code.'),
    text('country', 'The country, as a code of ISO 3166-1.'),
    text('type', 'Says what the address is used for.', { canonicalValues: ['work', 'home', 'other'] }),
    boolean('primary', 'Whether this is the preferred address; at most one is.'),
  ],
  { multiValued: true },
);

const GROUPS = complex(
  'groups',
  'The groups of the user. They change only through the groups.',
  [
    text('value', 'The id of the group.', { caseExact: true, mutability: 'readOnly' }),
    reference('$ref', 'The URI of the group.', ['Group'], { mutability: 'readOnly' }),
    text('display', 'The name of the group.', { mutability: 'readOnly' }),
    text('type', 'Always `direct`.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
  ],
  { multiValued: true, mutability: 'readOnly' },
);

/** The attributes of RFC 7643, section 4.1, without `password`: a password is neither stored nor returned. */
export const USER_ATTRIBUTES: readonly ScimAttribute[] = [
  text('userName', 'The name by which the provider knows the user.', {
    required: true,
    uniqueness: 'server',
  }),
  complex('name', 'The parts of the name of the user.', [
    text('formatted', 'The whole name.'),
    text('familyName', 'The family name.'),
    text('givenName', 'The given name.'),
    text('middleName', 'The middle names.'),
    text('honorificPrefix', 'The title before the name.'),
    text('honorificSuffix', 'The suffix after the name.'),
  ]),
  text('displayName', 'The name that is shown.'),
  text('nickName', 'The casual name.'),
  reference('profileUrl', 'The address of a profile of the user.', ['external']),
  text('title', 'The job title.'),
  text('userType', 'The relation between the user and the organization.'),
  text('preferredLanguage', 'The preferred language.'),
  text('locale', 'The locale for dates, numbers and currencies.'),
  text('timezone', 'The time zone, by its name in the IANA database.'),
  boolean('active', 'Whether the user belongs to the organization.'),
  plural('emails', 'E-mail addresses.', text('value', 'The address.'), ['work', 'home', 'other']),
  plural('phoneNumbers', 'Phone numbers.', text('value', 'The number.'), [
    'work',
    'home',
    'mobile',
    'fax',
    'pager',
    'other',
  ]),
  plural('ims', 'Addresses for instant messages.', text('value', 'The address.')),
  plural('photos', 'Addresses of pictures.', reference('value', 'The address.', ['external']), [
    'photo',
    'thumbnail',
  ]),
  ADDRESS,
  GROUPS,
  plural('entitlements', 'Entitlements at the provider.', text('value', 'The entitlement.')),
  plural('roles', 'Roles at the provider.', text('value', 'The role.')),
  plural('x509Certificates', 'Certificates.', binary('value', 'The certificate, in DER and base64.')),
];

/** The attributes of RFC 7643, section 4.3. */
export const ENTERPRISE_ATTRIBUTES: readonly ScimAttribute[] = [
  text('employeeNumber', 'The number of the employee.'),
  text('costCenter', 'The cost centre.'),
  text('organization', 'The organization.'),
  text('division', 'The division.'),
  text('department', 'The department.'),
  complex('manager', 'The manager of the user.', [
    text('value', 'The id of the manager.', { caseExact: true }),
    reference('$ref', 'The URI of the manager.', ['User']),
    text('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
  ]),
];
