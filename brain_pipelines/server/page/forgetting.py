"""Forgetting: a form, a preview of what goes, the removal, and the receipt."""

from typing import Any

from fastapi import Query
from pydantic import ValidationError
from starlette.responses import HTMLResponse, Response

from brain_pipelines.server.page.visit import In, Visit, router_for, to
from brain_pipelines.server.problems import ProblemError
from brain_pipelines.server.routes.bodies import ForgetBody, ForgetScope
from brain_pipelines.server.routes.forget import forgotten, plan_of
from brain_retrieval.errors import BrainError

router = router_for("forget")
KINDS = {"source": "One source", "mentions": "Everything that mentions a name", "day": "Everything of one day"}
SHOWN = 200


@router.get("/forget")
async def form(visit: In, kind: str = "source", value: str = Query("", max_length=1000)) -> Response:
    """Show the form and the receipts so far."""
    chosen = kind if kind in KINDS else "source"
    return await _form(visit, {"kind": chosen, "value": value, "source": ""})


async def _form(visit: Visit, asked: dict[str, str], error: str = "", status: int = 200) -> Response:
    def run() -> list[dict[str, Any]]:
        from brain_pipelines.knowledge.forgetting.receipts import receipts

        return receipts(visit.server.home, visit.user)[::-1]

    found = await visit.server.work.read(visit.asker, run)
    values = {"asked": asked, "kinds": KINDS, "receipts": found, "error": error}
    return HTMLResponse(visit.html("forget.html", values), status)


@router.post("/forget/preview")
async def preview(visit: In) -> Response:
    """Show what would go. Nothing is changed."""
    asked = {name: visit.form.get(name, "").strip() for name in ("kind", "value", "source")}
    try:
        scope = ForgetScope(kind=asked["kind"], value=asked["value"], source=asked["source"] or None)  # type: ignore[arg-type]
        plan = await visit.write(plan_of, scope)
    except ValidationError:
        return await _form(visit, asked, "Say what is to be forgotten.", 422)
    except BrainError as error:
        if error.exit_code not in (2, 3):
            raise
        said = str(error)
        return await _form(visit, asked, f"{said[:1].upper()}{said[1:]}.", 404)
    days = sorted({target.day for target in plan.targets})
    values = {"asked": asked, "kinds": KINDS, "items": plan.targets[:SHOWN], "total": len(plan.targets)}
    more = {"stores": plan.counts, "days": days, "readers": sorted(plan.readers)}
    return HTMLResponse(visit.html("forget_preview.html", {**values, **more}))


@router.post("/forget")
async def forget(visit: In) -> Response:
    """Remove what the preview has shown, and show the receipt."""
    if visit.form.get("sure") != "yes":
        raise ProblemError(422, "Tick the box first: forgetting cannot be undone.")
    fields = {name: visit.form.get(name, "") for name in ("kind", "value", "items")}
    try:
        body = ForgetBody.model_validate({**fields, "source": visit.form.get("source") or None})
    except ValidationError:
        raise ProblemError(422, "This form is not complete; begin again with the preview.") from None
    receipt = (await visit.server.forget(visit.user, forgotten, body))["receipt"]
    return to(f"/forget/receipt/{receipt['receipt_id']}")


@router.get("/forget/receipt/{receipt_id}")
async def receipt(visit: In, receipt_id: str) -> Response:
    """Show what was removed, and that nothing of it was found afterwards."""

    def run() -> dict[str, Any] | None:
        from brain_pipelines.knowledge.forgetting.receipts import receipts

        return next((one for one in receipts(visit.server.home, visit.user) if one["receipt_id"] == receipt_id), None)

    found = await visit.server.work.read(visit.asker, run)
    if found is None:
        raise ProblemError(404, "There is no such receipt.")
    return HTMLResponse(visit.html("receipt.html", {"receipt": found, "kinds": KINDS}))
