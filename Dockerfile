# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/recalld
ENV PATH=/opt/recalld/bin:$PATH

ARG TORCH_VERSION=2.13.0
RUN pip install --index-url https://download.pytorch.org/whl/cpu "torch==${TORCH_VERSION}"

WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY migrations ./migrations
COPY src ./src
RUN pip wheel --no-deps --wheel-dir /wheels . \
    && pip install "$(ls /wheels/recalld-*.whl)[sentence-transformers]"

# Build with --build-arg RERANKER_MODEL= to leave the cross-encoder out.
ARG RERANKER_MODEL=cross-encoder/ms-marco-MiniLM-L6-v2
ENV HF_HOME=/opt/models
RUN mkdir -p "$HF_HOME" && if [ -n "$RERANKER_MODEL" ]; then \
    RERANKER_MODEL="$RERANKER_MODEL" python -c \
    "import os; from sentence_transformers import CrossEncoder; CrossEncoder(os.environ['RERANKER_MODEL'])"; \
    fi

FROM python:3.11-slim

RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/recalld --create-home recalld

COPY --from=build /opt/recalld /opt/recalld
COPY --from=build /opt/models /opt/models

ARG RERANKER_MODEL=cross-encoder/ms-marco-MiniLM-L6-v2
ENV PATH=/opt/recalld/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HF_HOME=/opt/models \
    HF_HUB_OFFLINE=1 \
    RECALLD_HOST=0.0.0.0 \
    RECALLD_PORT=8888 \
    RECALLD_DATA_DIR=/var/lib/recalld \
    RECALLD_RERANKER_MODEL=$RERANKER_MODEL

USER recalld
WORKDIR /var/lib/recalld
VOLUME /var/lib/recalld
EXPOSE 8888

HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=5 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ.get('RECALLD_PORT', '8888') + '/health/live', timeout=4)"]

CMD ["recalld", "serve"]
