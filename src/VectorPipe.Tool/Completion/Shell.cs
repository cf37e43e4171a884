namespace VectorPipe.Tool.Completion;

/// <summary>Shells that complete commands.</summary>
internal enum Shell
{
    /// <summary>GNU bash.</summary>
    Bash,

    /// <summary>The Z shell.</summary>
    Zsh,

    /// <summary>fish.</summary>
    Fish,

    /// <summary>PowerShell on any system.</summary>
    PowerShell,
}
