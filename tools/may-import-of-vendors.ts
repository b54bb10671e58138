import type { Row } from './may-import-row.ts'

const core = 'vendors/core'
const protocols = 'vendors/protocols'
const vendors = 'vendors/vendors'

const among = (...names: readonly string[]): readonly string[] => [core, ...names.map((name) => `${protocols}/${name}`)]

/** The folders of protocols from the lowest, each with those below it that it imports. */
const folders: ReadonlyArray<readonly [folder: string, may: readonly string[], why: string]> = [
  ['shared', among(), 'The form of chats that all others are translated to and from, and what several protocols have in common.'],
  ['embeddings', among(), 'Forms of vectors.'],
  ['balances', among(), 'Queries for balances that several vendors answer.'],
  ['batches', among(), 'Files of requests that several vendors answer.'],
  ['bodies', among('shared'), 'What in a body selects what a vendor bills.'],
  ['calls', among('shared'), 'Tools, their schemas, and calls of them.'],
  ['media', among('shared'), 'Images, audio and files within requests.'],
  ['rules', among('shared'), 'Changes of a request that a model or a server needs.'],
  ['tasks', among('shared'), 'The steps of tasks.'],
  ['compat', among('shared', 'media'), 'Changes of chats for vendors that are compatible with OpenAI.'],
  ['openai', among('shared', 'calls', 'embeddings', 'rules', 'tasks'), 'OpenAI’s protocol but for responses.'],
  [
    'responses',
    among('shared', 'bodies', 'calls', 'compat', 'media', 'openai', 'rules'),
    'Responses, and their conversion from and to chats.',
  ],
  ['messages', among('shared', 'calls', 'compat', 'responses'), 'Messages of clients as chats, and chats as messages.'],
  ['generate', among('shared', 'calls', 'compat', 'embeddings'), 'Requests of Gemini’s clients as chats, and chats as their answers.'],
  ['anthropic', among('shared', 'bodies', 'calls', 'media', 'messages', 'rules'), 'Anthropic’s protocol.'],
  ['gemini', among('shared', 'calls', 'embeddings', 'generate', 'media', 'messages'), 'Gemini’s protocol.'],
]

/** The layers of the vendors from the lowest. Records and pure functions: hashes, ids and times are arguments. */
export const mayImportOfVendors: readonly Row[] = [
  { folder: core, may: [], why: 'Types and JSON. It knows no vendor and no wire format.' },
  { folder: protocols, may: [core], why: 'Wire formats and conversions between them. They know no vendor.' },
  ...folders.map(([folder, may, why]) => ({ folder: `${protocols}/${folder}`, may, why })),
  ...['azure', 'custom', 'resellers'].map((name) => ({
    folder: `${vendors}/${name}`,
    may: [core, protocols, `${vendors}/openai`],
    why: 'Sells the interface and the models of another vendor, whose record it takes parts of.',
  })),
  {
    folder: `${vendors}/*`,
    may: [core, protocols],
    why: 'Everything of one vendor. It knows no other vendor; what two share is a protocol.',
  },
  {
    folder: 'vendors/registry',
    may: [core, protocols, vendors],
    why: 'The list of vendors, and what is looked up in it or made of a record. Nothing below it knows the list.',
  },
]
