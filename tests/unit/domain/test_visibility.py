"""Who sees a source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recalld.domain.tags import matches
from recalld.domain.visibility import visibility_tags, visible_to

NAMES = st.sampled_from(["a", "b", "a:b", "identity:a", "audience:x", "x", "y", "Ä", ""])


@given(NAMES, st.sets(NAMES), st.none() | NAMES, st.none() | NAMES)
def test_a_source_is_seen_by_its_identity_its_audience_or_everybody(
    viewer: str, audiences: set[str], identity: str | None, audience: str | None
) -> None:
    expected = identity == viewer or audience in audiences or identity is audience is None
    tags = visibility_tags(identity, audience)
    assert matches(visible_to(viewer, sorted(audiences)), tags) is expected
