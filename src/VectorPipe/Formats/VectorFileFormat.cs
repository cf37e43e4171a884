namespace VectorPipe.Formats;

/// <summary>A file format for vectors. All are little-endian and row-major; the file's extension names the format.</summary>
internal enum VectorFileFormat
{
    /// <summary><c>.fbin</c>: int32 count, int32 dimension, then float32 values.</summary>
    Fbin,

    /// <summary><c>.u8bin</c>: int32 count, int32 dimension, then uint8 values.</summary>
    U8bin,

    /// <summary><c>.i8bin</c>: int32 count, int32 dimension, then int8 values.</summary>
    I8bin,

    /// <summary><c>.fvecs</c>: every row is its int32 dimension, then float32 values.</summary>
    Fvecs,

    /// <summary><c>.bvecs</c>: every row is its int32 dimension, then uint8 values.</summary>
    Bvecs,

    /// <summary>
    /// <c>.npy</c>, versions 1.0 to 3.0: a two-dimensional array in C order of <c>&lt;f4</c>, <c>&lt;f2</c>, <c>|u1</c> or <c>|i1</c>.
    /// </summary>
    Npy,
}
