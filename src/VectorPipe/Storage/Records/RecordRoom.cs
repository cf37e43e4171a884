namespace VectorPipe.Storage.Records;

/// <summary>Room for the bytes of a record, used for one after another.</summary>
/// <remarks>Not thread-safe. What was read into it is valid until the next record is.</remarks>
internal sealed class RecordRoom
{
    // A large record leaves no room of its size behind: there are many rooms.
    private const int MostKept = 1024;

    private byte[] _bytes = [];

    /// <summary>Room for so many bytes.</summary>
    public Memory<byte> For(int length)
    {
        if (_bytes.Length < length || _bytes.Length > MostKept)
            _bytes = new byte[length];
        return _bytes.AsMemory(0, length);
    }

    /// <summary>Gives the bytes up: whoever has them keeps them.</summary>
    public void Detach() => _bytes = [];
}
