namespace VectorPipe.Filters.Algebra;

/// <summary>Types of values that are compared with each other.</summary>
internal enum ValueFamily
{
    /// <summary>Any type: the comparison asks only whether there is a value.</summary>
    Any,

    /// <summary>Truth values.</summary>
    Boolean,

    /// <summary>Integers and floating-point numbers, by their mathematical values.</summary>
    Number,

    /// <summary>Texts, by the bytes of their UTF-8.</summary>
    Text,

    /// <summary>Guids, by their bytes; the order only makes forms canonical.</summary>
    Guid,

    /// <summary>Instants; offsets do not matter.</summary>
    Time,
}
