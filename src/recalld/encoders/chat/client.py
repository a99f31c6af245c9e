"""A language model behind an OpenAI-compatible endpoint: ``POST <url>/chat/completions``."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from recalld.encoders.chat.repair import Unusable, read_object
from recalld.encoders.http import HttpService, Refused
from recalld.encoders.protocols import AnswerTooLong, ChatUsage, Completion, EncoderFailed

logger = logging.getLogger(__name__)

Json = dict[str, Any]
Messages = list[Json]

PATH = "/chat/completions"
FORMATS = ("json_schema", "json_object", "text")
"""Ways to ask for JSON. Endpoints that refuse one are asked in the next."""

_NOT_UNDERSTOOD = {400, 422}
_ATTEMPTS = 2
_REMEMBERED = 4000
"""Characters of a bad answer that are shown to the model again."""


class HttpChatModel:
    """Asks for JSON, mends what comes, and asks a second time where that does not help."""

    def __init__(self, service: HttpService) -> None:
        self._service = service
        self._format = 0

    @property
    def name(self) -> str:
        """The model."""
        return self._service.name

    async def complete(self, system: str, user: str, schema: Mapping[str, Any]) -> Completion:
        """The object the model writes; told what is wrong with its first answer, it may write another."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        usage = ChatUsage()
        problem = ""
        for _ in range(_ATTEMPTS):
            reply = await self._ask(messages, schema)
            usage = usage.plus(_usage(reply))
            content = self._content(reply, usage)
            try:
                return Completion(read_object(content, schema), usage)
            except Unusable as error:
                problem = str(error)
                logger.warning("%s gave an answer that cannot be used: %s", self.name, problem)
            messages += [
                {"role": "assistant", "content": content[:_REMEMBERED] or "(nothing)"},
                {
                    "role": "user",
                    "content": f"That answer cannot be used: {problem}. Write the whole answer again, "
                    "as one JSON object and nothing else.",
                },
            ]
        raise EncoderFailed(f"{self.name} gave no usable answer: {problem}")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._service.aclose()

    async def _ask(self, messages: Messages, schema: Mapping[str, Any]) -> Any:
        """The reply, asked for in the first format the endpoint understands; that one is kept."""
        start = self._format
        for place in range(start, len(FORMATS)):
            try:
                reply = await self._service.ask(PATH, self._body(FORMATS[place], messages, schema))
            except Refused as error:
                if error.status not in _NOT_UNDERSTOOD or place == len(FORMATS) - 1:
                    raise
                logger.info("%s refused the response format %s", self.name, FORMATS[place])
            else:
                self._format = max(self._format, place)
                return reply
        raise EncoderFailed(f"{self.name} understands no response format")

    def _body(self, format_: str, messages: Sequence[Json], schema: Mapping[str, Any]) -> Json:
        if format_ == "json_schema":
            wanted = {"name": "answer", "schema": schema, "strict": True}
            asked: Json = {"response_format": {"type": format_, "json_schema": wanted}}
            return {"model": self.name, "messages": messages, **asked}
        written = json.dumps(schema, ensure_ascii=False)
        told = f"Answer with one JSON object and nothing else. It has to follow this JSON schema:\n{written}"
        first = {"role": "system", "content": f"{messages[0]['content']}\n\n{told}"}
        asked = {"response_format": {"type": format_}} if format_ == "json_object" else {}
        return {"model": self.name, "messages": [first, *messages[1:]], **asked}

    def _content(self, reply: Any, usage: ChatUsage) -> str:
        """What the model wrote; a refusal or an answer that was cut off raises."""
        choices = reply.get("choices") if isinstance(reply, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            raise EncoderFailed(f"{self.name} answered with something other than a chat completion")
        reason = choice.get("finish_reason")
        if message.get("refusal") or reason == "content_filter":
            raise EncoderFailed(f"{self.name} refused to answer")
        if reason == "length":
            raise AnswerTooLong(f"{self.name} was cut off: its answer is longer than it may be", usage)
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        return content if isinstance(content, str) else ""


def _usage(reply: Any) -> ChatUsage:
    told = reply.get("usage") if isinstance(reply, dict) else None
    return ChatUsage(
        _count(told, "prompt_tokens"),
        _count(told, "completion_tokens"),
        _count(_part(told, "prompt_tokens_details"), "cached_tokens"),
        _count(_part(told, "completion_tokens_details"), "reasoning_tokens"),
    )


def _part(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else None


def _count(told: Any, name: str) -> int:
    value = _part(told, name)
    return value if isinstance(value, int) and value >= 0 else 0
