"""Reads a reward function's text before it runs: what it may not contain, and what it uses.

The sandbox alone prevents harm. Reading the text first gives an earlier and clearer message, and lets a batch
carry only the fields that the function reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall_lab.rewards.contract import PARAMETERS

MOST_CHARACTERS = 20_000
MODULES = frozenset({"math", "itertools", "functools", "collections", "bisect"})
"""Modules that a reward function may import; all are pure calculation."""
RESERVED = "_pitwall"
_STATES = ("prev_state", "next_state")
_FORBIDDEN = (
    *("open", "eval", "exec", "compile", "globals", "locals", "vars", "input", "print", "breakpoint"),
    *("getattr", "setattr", "delattr"),
)
_SHOULD = f"def reward({', '.join(PARAMETERS)}):"
_TOP = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)


class RewardFault(PitwallError):
    """A reward function cannot be used, or failed.

    Args:
        what: names the file, the line if known, and the fault.
        fix: what was expected.
        line: from 1; 0 if unknown.
    """

    def __init__(self, what: str, fix: str = "", *, line: int = 0) -> None:
        super().__init__(what, fix)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardSource:
    """A reward function that may be run.

    Attributes:
        text: as written. name: of its file.
        parameters: those it uses.
        fields: state → fields it reads by constant keys; None: any of them.
        loop_line: of its first `while`, else of its first `for`; 0 for none.
    """

    text: str
    name: str
    parameters: frozenset[str]
    fields: dict[str, frozenset[str] | None]
    loop_line: int


def read_source(text: str, name: str) -> RewardSource:
    """Read a reward function without running it.

    Raises:
        RewardFault: it does not parse, lacks `reward` with its parameters, or contains something forbidden.
    """
    tree = _parsed(text, name)
    for statement in tree.body:
        _check_top(statement, name)
    for node in ast.walk(tree):
        problem = _problem(node)
        if problem:
            line = getattr(node, "lineno", 0)
            raise RewardFault(f"{at_line(name, line)} {problem[0]}", problem[1], line=line)
    _check_signature(tree, name)
    return RewardSource(
        text=text,
        name=name,
        parameters=frozenset(
            parameter for parameter in PARAMETERS if _mentions(tree, parameter) > _handed_on(tree, parameter)
        ),
        fields={state: _fields(tree, state) for state in _STATES},
        loop_line=_loop_line(tree),
    )


def at_line(name: str, line: int) -> str:
    """Write the beginning of a message about a line of a file."""
    return f"{name}, line {line}:" if line else f"{name}:"


def _parsed(text: str, name: str) -> ast.Module:
    if len(text) > MOST_CHARACTERS:
        raise RewardFault(
            f"{name}: the reward function has {len(text):,} characters.",
            f"Keep it within {MOST_CHARACTERS:,}.",
        )
    try:
        text.encode()
        return ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 0
        raise RewardFault(
            f"{at_line(name, line)} {error.msg}.", f"Write it as {_SHOULD}", line=line
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise RewardFault(
            f"{name}: it is not Python text, or nested too deep.", f"Write it as {_SHOULD}"
        ) from None


def _check_top(node: ast.stmt, name: str) -> None:
    says_nothing = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not isinstance(node, _TOP) and not says_nothing:
        raise RewardFault(
            f"{at_line(name, node.lineno)} {_word(node)!r} is outside a function.",
            "Keep the file to imports, constants and functions.",
            line=node.lineno,
        )


def _word(node: ast.stmt) -> str:
    return ast.unparse(node).split("\n", 1)[0][:40]


def _check_signature(tree: ast.Module, name: str) -> None:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "reward"]
    if not functions:
        raise RewardFault(f"{name}: there is no function named reward.", f"Write it as {_SHOULD}")
    of, line = functions[-1].args, functions[-1].lineno
    has = [argument.arg for argument in (*of.posonlyargs, *of.args)]
    if tuple(has) != PARAMETERS or of.vararg or of.kwarg or of.kwonlyargs:
        raise RewardFault(
            f"{at_line(name, line)} reward takes ({', '.join(has)[:120]}).",
            f"Expected: {_SHOULD}",
            line=line,
        )
    if not any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(functions[-1])):
        raise RewardFault(
            f"{at_line(name, line)} reward returns nothing.",
            "Return a number, or a dict of named numbers.",
            line=line,
        )


def _problem(node: ast.AST) -> tuple[str, str] | None:
    """Describe the fault of one node and its remedy; None without a fault."""
    match node:
        case ast.Import(names=names):
            return _imported([name.name for name in names])
        case ast.ImportFrom(module=module, level=level):
            return _imported(["." * level + (module or "")])
        case ast.Global() | ast.Nonlocal():
            return "it keeps something between calls.", "Calculate the reward from its arguments alone."
        case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (
                f"{type(node).__name__} is not allowed.",
                "Write plain functions that return.",
            )
    if isinstance(node, ast.Name) and node.id in _FORBIDDEN:
        return f"{node.id} is not allowed.", "A reward function only calculates; it touches nothing else."
    for word in _words(node):
        if word.startswith(RESERVED) or (word.startswith("__") and word.endswith("__")):
            return f"the name {word[:60]} is not allowed.", "Use names of your own and the arguments."
    return None


def _imported(names: list[str]) -> tuple[str, str] | None:
    bad = [name for name in names if name not in MODULES]
    if not bad:
        return None
    return f"it imports {bad[0][:60]}.", f"Only these may be imported: {', '.join(sorted(MODULES))}."


def _words(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.FunctionDef(name=word) | ast.arg(arg=word):
            yield word
        case ast.alias(name=word, asname=other):
            yield from (name for name in (word, other) if name)
        case ast.keyword(arg=str() as word) | ast.ExceptHandler(name=str() as word):
            yield word
        case ast.MatchAs(name=str() as word) | ast.MatchStar(name=str() as word):
            yield word


def _fields(tree: ast.Module, state: str) -> frozenset[str] | None:
    """Return the fields read of a state; None if it is used in any other way.

    Reading means `state["field"]`, `state.get("field")` or `"field" in state`. Handing the state to a
    function of the same file whose parameter has the same name is no use of its own.
    """
    known: set[str] = set()
    counted = _handed_on(tree, state)
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as field)):
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                args=[ast.Constant(value=str() as field), *_],
            ):
                pass
            case ast.Compare(
                left=ast.Constant(value=str() as field),
                ops=[ast.In() | ast.NotIn()],
                comparators=[ast.Name(id=name)],
            ):
                pass
            case _:
                continue
        if name == state:
            known.add(field)
            counted += 1
    return frozenset(known) if counted == _mentions(tree, state) else None


def _mentions(tree: ast.Module, name: str) -> int:
    return sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _handed_on(tree: ast.Module, name: str) -> int:
    """Count how often an argument is handed to a function of the same file under the same name."""
    functions = {node.name: node.args.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = [
        (call.args, functions[call.func.id])
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in functions
    ]
    return sum(
        isinstance(given, ast.Name) and given.id == name == parameter.arg
        for arguments, parameters in calls
        for given, parameter in zip(arguments, parameters, strict=False)
    )


def _loop_line(tree: ast.Module) -> int:
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.While | ast.For)]
    whiles = [node for node in loops if isinstance(node, ast.While)]
    return min((node.lineno for node in whiles or loops), default=0)
