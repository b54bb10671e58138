/** Why a request is refused for a parameter, a tool or a model in its body. In English. */
export const refusalEn = {
  functions_and_tools: '{name} is the deprecated form of tools and cannot be combined with it. Use tools and tool_choice only.',
  parameter_not_offered: 'Unsupported parameter: {name}',
  parameter_not_priced:
    'Unsupported parameter: {name}. The vendor may bill it, and it has no price here. Remove it, or ask the administrator to allow {member} on a channel of this model.',
  named_model_refused: 'Model {model} in {name} has no price. Remove it or use another model.',
  named_model_not_found: 'No available channel serves both the requested model and {model} in {name}',
  named_model_forbidden: 'This token does not have access to model {model} in {name}',
  allowed_members_root: 'Only a super admin can change the allowed parameters of a channel',
  content_of_key_root: "Only a super admin can let requests reference content of the channel key's account at the vendor",
  channel_type_root:
    'Channels of this type forward everything, including what the vendor bills and has no price here. Enter the key again, or ask a super admin to change the type.',
  length_not_offered: 'Unsupported value for {name}. Supported values: {values}',
  model_task_unsupported: 'Model {model} does not support this kind of task. Choose another model.',
  tool_needs_responses: 'Tool {tool} ({name}) is not supported by any channel of this model. Remove it or use another model.',
  item_not_offered: 'Item {type} ({name}) is not supported by any channel of this model. Remove it or use another model.',
  search_not_offered:
    'Tool {tool} ({name}) needs web search, which no channel of this model supports. Disable it (in Codex: web_search = "disabled") or use another model.',
  parameter_needs_memory:
    '{name} needs a channel that stores responses, and this model has none. Send the whole conversation as input, with store: false.',
} as const
