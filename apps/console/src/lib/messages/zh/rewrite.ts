import type { Message } from '../../message.ts'
import type { rewrite as en } from '../en/rewrite.ts'

export const rewrite = {
  'rewrite.tool_names': '工具名称',
  'rewrite.tool_names.hint': '缩短或替换供应商不接受的工具名称，返回给客户端时恢复原名。',
  'rewrite.call_ids': '工具调用 ID',
  'rewrite.call_ids.hint': '替换供应商不接受或重复的工具调用 ID。',
  'rewrite.tools': '工具定义',
  'rewrite.tools.hint': '修正供应商不接受的参数结构，并去除无效的工具设置，例如没有工具时的 tool_choice。',
  'rewrite.files': '文件和图片',
  'rewrite.files.hint': '转换文件和图片的格式，或移到供应商能读取的位置。',
  'rewrite.parameters': '参数',
  'rewrite.parameters.hint': '去除或调整模型不支持的参数。',
  'rewrite.output_limit': '输出上限',
  'rewrite.output_limit.hint': '将输出 Token 上限降到模型允许的最大值。',
  'rewrite.messages': '消息',
  'rewrite.messages.hint': '移动、合并或补全模型不接受的指令和对话轮次。',
  'rewrite.client_lines': '客户端易变内容',
  'rewrite.client_lines.hint': '去除客户端在每次请求中都会改变、导致提示词缓存失效的内容。',
  'rewrite.cache_marks': '缓存断点',
  'rewrite.cache_marks.hint': '去除供应商不接受的缓存断点。',
  'rewrite.characters': '无效字符',
  'rewrite.characters.hint': '将供应商不接受的残缺 Unicode 字符替换为 U+FFFD。',
} as const satisfies Record<keyof typeof en, Message>
