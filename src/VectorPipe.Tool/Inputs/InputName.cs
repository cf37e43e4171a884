namespace VectorPipe.Tool.Inputs;

/// <summary>A file, and the array or column of it that is meant, as in <c>file.npz:name</c>; null for the usual one.</summary>
internal readonly record struct InputName(string Path, string? Member)
{
    public string Extension => System.IO.Path.GetExtension(Path).ToLowerInvariant();

    public bool IsHdf5 => Extension is ".hdf5" or ".h5";

    /// <summary>Splits a name at its last colon, if a file that holds several arrays stands before it.</summary>
    public static InputName Parse(string text)
    {
        int colon = text.LastIndexOf(':');
        if (colon < 0)
            return new InputName(text, null);
        var name = new InputName(text[..colon], text[(colon + 1)..]);
        return name.HoldsSeveral ? name : new InputName(text, null);
    }

    private bool HoldsSeveral => IsHdf5 || Extension == ".npz" || Collections.Columns.ColumnFile.IsNamed(Path);
}
