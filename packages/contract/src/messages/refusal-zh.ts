import type { refusalEn } from './refusal-en.ts'

/** Why a request is refused for a parameter, a tool or a model in its body. In Chinese. */
export const refusalZh: Readonly<Record<keyof typeof refusalEn, string>> = {
  functions_and_tools: '{name} 是 tools 的旧写法，不能与 tools 同时使用，请只使用 tools 和 tool_choice',
  parameter_not_offered: '不支持的参数：{name}',
  parameter_not_priced:
    '不支持的参数：{name}。供应商可能对其计费，而它没有设置价格。请去掉该参数，或请管理员在此模型的渠道中允许 {member}。',
  named_model_refused: '{name} 中的模型 {model} 没有设置价格，请去掉它或改用其他模型',
  named_model_not_found: '没有可用的渠道同时提供所请求的模型和 {name} 中的模型 {model}',
  named_model_forbidden: '此令牌无权使用 {name} 中的模型 {model}',
  allowed_members_root: '只有超级管理员可以修改渠道允许的参数',
  content_of_key_root: '只有超级管理员可以允许请求引用密钥所属账户在供应商处的内容',
  channel_type_root: '此类型的渠道会转发所有内容，包括供应商计费而此处没有价格的内容。请重新输入密钥，或请超级管理员修改类型。',
  length_not_offered: '参数 {name} 的值不受支持，可用值：{values}',
  model_task_unsupported: '模型 {model} 不支持此类任务，请选择其他模型',
  tool_needs_responses: '此模型的渠道都不支持工具 {tool}（{name}），请去掉该工具或改用其他模型',
  item_not_offered: '此模型的渠道都不支持输入项 {type}（{name}），请去掉该输入项或改用其他模型',
  search_not_offered:
    '此模型的渠道都不支持联网搜索，无法使用工具 {tool}（{name}）；请关闭该工具（Codex 中设置 web_search = "disabled"）或改用其他模型',
  parameter_needs_memory: '参数 {name} 需要能保存响应的渠道，而此模型没有这样的渠道；请在 input 中发送完整对话，并设置 store: false',
}
