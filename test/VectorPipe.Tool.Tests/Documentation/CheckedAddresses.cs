namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Addresses of other sites that pages link to. Who adds one has looked: it exists, and says what the page says.</summary>
internal static class CheckedAddresses
{
    public static IReadOnlyList<string> All { get; } =
    [
        "https://docs.lancedb.com/basics/lancedb-embedded",
        "https://docs.lancedb.com/basics/sdk",
        "https://github.com/asg017/sqlite-vec",
        "https://github.com/asg017/sqlite-vec/blob/main/site/features/vec0.md",
        "https://github.com/asg017/sqlite-vec/issues/25",
        "https://github.com/asg017/sqlite-vec/pull/273",
        "https://github.com/facebookresearch/faiss/issues/2609",
        "https://github.com/facebookresearch/faiss/wiki/Guidelines-to-choose-an-index",
        "https://github.com/facebookresearch/faiss/wiki/Indexes-that-do-not-fit-in-RAM",
        "https://github.com/microsoft/DiskANN",
        "https://github.com/moby/profiles/blob/main/seccomp/default.json",
        "https://github.com/nmslib/hnswlib",
        "https://github.com/pgvector/pgvector",
        "https://github.com/qdrant/go-client/issues/32",
        "https://github.com/qdrant/qdrant",
        "https://github.com/qdrant/qdrant/issues/137",
        "https://github.com/thustorage/PipeANN",
        "https://github.com/unum-cloud/USearch/issues/481",
        "https://keepachangelog.com/en/1.1.0/",
        "https://lancedb.github.io/lancedb/concepts/data_management/",
        "https://learn.microsoft.com/dotnet/ai/iembeddinggenerator",
        "https://learn.microsoft.com/dotnet/ai/vector-stores/overview",
        "https://milvus.io/docs/disk_index.md",
        "https://qdrant.tech/documentation/ops-configuration/memory-tiers/",
        "https://raw.githubusercontent.com/facebookresearch/faiss/main/README.md",
        "https://raw.githubusercontent.com/milvus-io/milvus-docs/v3.0.x/site/en/getstarted/install-overview.md",
        "https://semver.org/spec/v2.0.0.html",
        "https://ui.perfetto.dev",
        "https://unum-cloud.github.io/USearch/csharp",
        "https://www.alibabacloud.com/help/en/polardb/polardb-for-postgresql/filter",
        "https://www.dbi-services.com/blog/pgvector-a-guide-for-dba-part-2-indexes-update-march-2026",
        "https://www.nuget.org/packages/LanceDB",
    ];
}
