namespace VectorPipe.Numerics.Panels;

/// <summary>The form of the words of a row, and the distance that a panel kernel computes.</summary>
internal enum PanelDistance
{
    /// <summary>float32 words; the accumulator is the squared L2 distance itself.</summary>
    Float,

    /// <summary>Byte words; |a-b|², exact in int32.</summary>
    ByteL2,

    /// <summary>Byte words; |a-b|² plus the squared difference of the rows' auxiliary components.</summary>
    ByteL2Extended,

    /// <summary>Byte words; 2 - 2 a·b / sqrt(|a|²|b|²), the auxiliary number being the squared norm.</summary>
    ByteChord,
}
