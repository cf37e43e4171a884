namespace VectorPipe.Tool.Inputs;

/// <summary>The type of a component in a file, and the type that it becomes: float64 becomes float32.</summary>
internal readonly record struct StoredElement(VectorElementType Type, int Bytes)
{
    public const string Names = "float64, float32, float16, uint8 or int8";

    public static StoredElement Float64 => new(VectorElementType.Float32, sizeof(double));

    /// <summary>Whether components are rounded.</summary>
    public bool IsRounded => Bytes == sizeof(double);

    /// <summary>Bytes of a component in an index.</summary>
    public int TargetBytes => IsRounded ? sizeof(float) : Bytes;

    /// <summary>The element of a kind and size; null if it cannot be the component of a vector.</summary>
    public static StoredElement? Of(bool isFloat, bool isSigned, int bytes) => (isFloat, isSigned, bytes) switch
    {
        (true, _, sizeof(double)) => Float64,
        (true, _, sizeof(float)) => new(VectorElementType.Float32, bytes),
        (true, _, sizeof(ushort)) => new(VectorElementType.Float16, bytes),
        (false, false, 1) => new(VectorElementType.UInt8, bytes),
        (false, true, 1) => new(VectorElementType.Int8, bytes),
        _ => null,
    };
}
