"""Each of the three Python clients asks a model: whole, as a stream, with a tool and its result, and a second turn. Prints what it read."""

import json
import os

import anthropic
import openai
from google import genai
from google.genai import types

URL, KEY, MODEL = os.environ["SLUICE_URL"], os.environ["SLUICE_KEY"], os.environ["SLUICE_MODEL"]
ASK, LATER = "Run the command that prints a word.", "And what else did it print?"
PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
RESULT = "sluice-42"


def with_anthropic():
    client = anthropic.Anthropic(api_key=KEY, base_url=URL, max_retries=0)
    tools = [{"name": "Bash", "description": "Runs a command", "input_schema": PARAMETERS}]
    common = {"model": MODEL, "max_tokens": 2000, "tools": tools}
    messages = [{"role": "user", "content": ASK}]
    first = client.messages.create(messages=messages, **common)
    called = next(block for block in first.content if block.type == "tool_use")
    messages += [
        {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in first.content]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": called.id, "content": RESULT}]},
    ]
    with client.messages.stream(messages=messages, **common) as stream:
        text = "".join(stream.text_stream)
        second = stream.get_final_message()
    messages += [{"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in second.content]}]
    messages += [{"role": "user", "content": LATER}]
    third = client.messages.create(messages=messages, **common)
    counted = client.messages.count_tokens(model=MODEL, messages=messages, tools=tools)
    return {
        "command": called.input,
        "told": text,
        "later": "".join(block.text for block in third.content if block.type == "text"),
        "usage": [second.usage.input_tokens, second.usage.output_tokens],
        "models": [model.id for model in client.models.list()],
        "counted": counted.input_tokens > 0,
        "error": error_of(lambda: client.messages.create(model="no-such-model", max_tokens=9, messages=messages), anthropic.NotFoundError),
    }


def with_openai_chats():
    client = openai.OpenAI(api_key=KEY, base_url=f"{URL}/v1", max_retries=0)
    tools = [{"type": "function", "function": {"name": "Bash", "description": "Runs a command", "parameters": PARAMETERS}}]
    messages = [{"role": "user", "content": ASK}]
    first = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
    called = first.tool_calls[0]
    messages += [first.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": called.id, "content": RESULT}]
    text, usage = "", None
    for chunk in client.chat.completions.create(
        model=MODEL, messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
    ):
        text += "".join(choice.delta.content or "" for choice in chunk.choices)
        usage = chunk.usage or usage
    messages += [{"role": "assistant", "content": text}, {"role": "user", "content": LATER}]
    third = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
    return {
        "command": json.loads(called.function.arguments),
        "told": text,
        "later": third.choices[0].message.content,
        "usage": [usage.prompt_tokens, usage.completion_tokens],
        "models": [model.id for model in client.models.list()],
        "counted": True,
        "error": error_of(lambda: client.chat.completions.create(model="no-such-model", messages=messages), openai.NotFoundError),
    }


def with_openai_responses():
    client = openai.OpenAI(api_key=KEY, base_url=f"{URL}/v1", max_retries=0)
    tools = [{"type": "function", "name": "Bash", "description": "Runs a command", "parameters": PARAMETERS, "strict": False}]
    # Codex sends everything back itself; the first turn does as Codex does, and later ones only name the answer before.
    items = [{"role": "user", "content": [{"type": "input_text", "text": ASK}]}]
    common = {"model": MODEL, "tools": tools, "stream": True, "include": ["reasoning.encrypted_content"]}
    first = completed(client.responses.create(input=items, **common))
    called = next(item for item in first.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": called.call_id, "output": RESULT}
    items += [item.model_dump(exclude_none=True) for item in first.output] + [result]
    second = completed(client.responses.create(input=items, **common))
    turn = [{"role": "assistant", "content": second.output_text}, {"role": "user", "content": [{"type": "input_text", "text": LATER}]}]
    third = completed(client.responses.create(input=items + turn, **common))
    return {
        "command": json.loads(called.arguments),
        "told": second.output_text,
        "later": third.output_text,
        "usage": [second.usage.input_tokens, second.usage.output_tokens],
        "models": [model.id for model in client.models.list()],
        "counted": True,
        "error": error_of(lambda: client.responses.create(model="no-such-model", input="Hi"), openai.NotFoundError),
    }


def completed(stream):
    last = None
    for event in stream:
        last = event
    assert last.type == "response.completed", last
    return last.response


def with_google():
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=URL))
    declared = types.FunctionDeclaration(name="run_shell_command", description="Runs a command", parameters_json_schema=PARAMETERS)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=ASK)])]
    first = client.models.generate_content(model=MODEL, contents=contents, config=config)
    called = first.function_calls[0]
    answered = types.FunctionResponse(id=called.id, name=called.name, response={"output": RESULT})
    contents += [first.candidates[0].content, types.Content(role="user", parts=[types.Part(function_response=answered)])]
    text, usage = "", None
    for chunk in client.models.generate_content_stream(model=MODEL, contents=contents, config=config):
        parts = chunk.candidates[0].content.parts if chunk.candidates and chunk.candidates[0].content else None
        text += "".join(part.text or "" for part in parts or [] if not part.thought)
        usage = chunk.usage_metadata or usage
    contents += [types.Content(role="model", parts=[types.Part(text=text)]), types.Content(role="user", parts=[types.Part(text=LATER)])]
    third = client.models.generate_content(model=MODEL, contents=contents, config=config)
    counted = client.models.count_tokens(model=MODEL, contents=contents)
    try:
        client.models.generate_content(model="no-such-model", contents="Hi")
        error = None
    except genai.errors.ClientError as raised:
        error = raised.code
    return {
        "command": {"command": called.args["command"]},
        "told": text,
        "later": third.text,
        "usage": [usage.prompt_token_count, (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)],
        "models": [model.name.removeprefix("models/") for model in client.models.list()],
        "counted": counted.total_tokens > 0,
        "error": error,
    }


def error_of(call, expected):
    try:
        call()
        return None
    except expected as raised:
        return raised.status_code


CLIENTS = {
    "anthropic": with_anthropic,
    "openai, chats": with_openai_chats,
    "openai, responses": with_openai_responses,
    "google-genai": with_google,
}
print(json.dumps({name: ask() for name, ask in CLIENTS.items()}))
