/** Why a request is refused for a parameter, a tool or a model in its body. In English. */
export const refusalEn = {
  functions_and_tools: '{name} cannot be given beside tools: it is their older form. Use tools and tool_choice only',
  parameter_not_offered: 'The parameter {name} is not offered here',
  parameter_not_priced:
    'The parameter {name} is not offered here, because the vendor may bill it and it has no price. Leave it out, or ask the administrator to allow {member} on a channel of this model.',
  named_model_refused: 'The model {model} in {name} has no price here. Leave it out, or name another model.',
  named_model_not_found: 'No channel that you may use has the model {model} in {name} beside the requested one',
  named_model_forbidden: 'This token may not use the model {model} in {name}',
  allowed_members_root: 'Only root may change which members a channel allows',
  content_of_key_root: 'Only root may allow requests to name what the vendor keeps for the account of the key',
  channel_type_root:
    'A channel of this type forwards everything, also what the vendor bills without a price here. Enter the key again, or ask root to change the type.',
  length_not_offered: 'The parameter {name} may be {values} here',
  model_task_unsupported: 'The model {model} makes nothing of this kind here; please choose another one',
  tool_needs_responses:
    'The tool {tool} ({name}) needs a channel whose vendor has it, and no channel of this model does; leave it out, or use another model',
  item_not_offered: 'The item {type} ({name}) needs a channel that supports it, and this model has none; remove it or use another model',
  search_not_offered:
    'The tool {tool} ({name}) needs a channel with web search, and this model has none; turn it off (in Codex: web_search = "disabled") or use another model',
  parameter_needs_memory:
    'The parameter {name} needs a channel that keeps responses, and no channel of this model does; send the whole conversation as input, with store: false',
} as const
