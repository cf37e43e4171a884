namespace VectorPipe.Cluster.Log;

/// <summary>What a record of the log does to an element. Part of the format.</summary>
internal enum RecordKind : byte
{
    /// <summary>Adds the element, or gives it another vector.</summary>
    Put = 1,

    /// <summary>Gives an element that is there other attributes.</summary>
    SetAttributes = 2,

    /// <summary>Takes the element out.</summary>
    Remove = 3,

    /// <summary>Changes nothing: each replica says what it holds at this position, so that they can be compared.</summary>
    Mark = 4,
}
