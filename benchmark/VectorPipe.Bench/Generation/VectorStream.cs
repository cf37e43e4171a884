namespace VectorPipe.Bench.Generation;

/// <summary>Vectors of one distribution that share nothing else.</summary>
internal enum VectorStream
{
    /// <summary>Vectors to be indexed.</summary>
    Base = 1,

    /// <summary>Vectors to be searched for.</summary>
    Query = 2,
}
