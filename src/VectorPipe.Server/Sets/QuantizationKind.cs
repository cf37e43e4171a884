namespace VectorPipe.Server.Sets;

/// <summary>What the first command asked for. It is held to and reported, and changes nothing about what is stored.</summary>
internal enum QuantizationKind
{
    Int8,
    None,
    Binary,
}
