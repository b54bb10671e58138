import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/**
 * Members of a chunk of a response that have no text written by the model: names and kinds, what was found and is shown beside the text, what only
 * the vendor can read, and bytes, which are counted otherwise. A citation repeats what it cites, for which no vendor charges (Anthropic, "Citations",
 * a stored copy read 2026-11-29: `cited_text` is no output).
 */
const noOutput: ReadonlySet<string> = new Set([
  ...[
    'role',
    'type',
    'id',
    'index',
    'name',
    'status',
    'format',
    'language',
    'outcome',
    'object',
    'model',
    'recipient',
    'channel',
    'caller',
  ],
  ...[
    'call_id',
    'item_id',
    'tool_call_id',
    'tool_use_id',
    'server_name',
    'server_label',
    'container',
    'container_id',
    'response_id',
    'file_id',
  ],
  ...['finish_reason', 'native_finish_reason', 'stop_reason', 'stop_sequence', 'obfuscation', 'extra_content', 'provider_specific_fields'],
  ...['signature', 'thoughtSignature', 'thought_signature', 'encrypted_content', 'encrypted_index', 'encrypted_stdout', 'redacted_content'],
  ...['annotations', 'citation', 'citations', 'web_search', 'search_results', 'search_info', 'tool_changes', 'usage', 'logprobs'],
  ...['data', 'images', 'image_url', 'url', 'uri', 'b64_json', 'mimeType', 'mime_type', 'media_type', 'inlineData', 'fileData'],
])

/** With what a tool is called, where that is no text of its own. */
const inputs: ReadonlySet<string> = new Set(['input', 'args', 'arguments'])

/**
 * The text that a model wrote in a chunk of a response, whatever the names of its members, so that a new form of output counts as soon as a vendor
 * has it. Takes time in proportion to the chunk.
 */
export function outputText(piece: Json | undefined): string {
  if (typeof piece === 'string') return piece
  if (Array.isArray(piece)) return piece.map(outputText).join('')
  return isObject(piece) ? textOfMembers(piece) : ''
}

function textOfMembers(piece: JsonObject): string {
  let text = ''
  for (const name in piece) {
    if (noOutput.has(name)) continue
    const member = piece[name]
    if (isObject(member) && inputs.has(name)) text += Object.keys(member).length === 0 ? '' : JSON.stringify(member)
    else text += outputText(member)
  }
  return text
}
