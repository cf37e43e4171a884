namespace VectorPipe.Bench.Generation;

/// <summary>Independent streams of vectors of one distribution.</summary>
internal enum VectorStream
{
    /// <summary>Vectors to index.</summary>
    Base = 1,

    /// <summary>Vectors to search for.</summary>
    Query = 2,
}
