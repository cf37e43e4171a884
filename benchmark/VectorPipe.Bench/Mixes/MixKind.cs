namespace VectorPipe.Bench.Mixes;

/// <summary>An operation on a collection.</summary>
internal enum MixKind
{
    Search,

    Upsert,

    Delete,
}
