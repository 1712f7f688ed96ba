# Completion of tandem(1) for bash.

_tandem() {
	local cur prev words cword
	_init_completion -n = 2>/dev/null || {
		cur=${COMP_WORDS[COMP_CWORD]}
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		words=("${COMP_WORDS[@]}")
		cword=$COMP_CWORD
	}
	local verbs="record pause resume stop status report print view findings diff export sql doctor"
	local verb=${words[1]} options="--help" i

	if [ "$cword" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$verbs --help --version" -- "$cur"))
		return
	fi

	if [ "$verb" = record ]; then
		# Behind the program its own completion takes over.
		for ((i = 2; i < cword; i++)); do
			case ${words[i]} in
			-o | --output | --domains | --args | --device-timing | --limit-size | \
				--exit-wait | --inject | --kernel | --sample | --unwind | --clock | --cuda | --capture | \
				--drain-interval)
				((i++))
				;;
			--)
				((i++))
				break
				;;
			-*) ;;
			*) break ;;
			esac
		done
		if ((i < cword)) && declare -F _command_offset >/dev/null; then
			_command_offset "$i"
			return
		fi
	fi

	case $prev in
	--format)
		case $verb in
		report | sql | diff) COMPREPLY=($(compgen -W "text json csv" -- "$cur")) ;;
		export) COMPREPLY=($(compgen -W "perfetto chrome ctf sqlite csv html otf2 speedscope folded" -- "$cur")) ;;
		*) COMPREPLY=($(compgen -W "text json" -- "$cur")) ;;
		esac
		return
		;;
	--findings) COMPREPLY=($(compgen -W "on off auto" -- "$cur")) && return ;;
	--args) COMPREPLY=($(compgen -W "none basic full" -- "$cur")) && return ;;
	--device-timing) COMPREPLY=($(compgen -W "on off" -- "$cur")) && return ;;
	--inject) COMPREPLY=($(compgen -W "preload layer both" -- "$cur")) && return ;;
	--unwind) COMPREPLY=($(compgen -W "fp dwarf" -- "$cur")) && return ;;
	--sample) COMPREPLY=($(compgen -W "99 999" -- "$cur")) && return ;;
	--kernel) COMPREPLY=($(compgen -W "off sched syscalls gpu all" -- "$cur")) && return ;;
	--clock) COMPREPLY=($(compgen -W "auto counter monotonic" -- "$cur")) && return ;;
	--cuda)
		COMPREPLY=($(compgen -W "api queries all kernels memory graphs um nvtx overhead modules cubin
			latency external" -- "$cur"))
		return
		;;
	--capture) COMPREPLY=($(compgen -W "profiler-api nvtx:" -- "$cur")) && return ;;
	--domains) COMPREPLY=($(compgen -W "all opencl cuda" -- "$cur")) && return ;;
	-o | --output) COMPREPLY=($(compgen -f -- "$cur")) && return ;;
	--table)
		if [ "$verb" = diff ]; then
			COMPREPLY=($(compgen -W "total api device findings" -- "$cur"))
			return
		fi
		COMPREPLY=($(compgen -W "api device zones devices sharing memory builds errors
			open_calls untimed_queues processes threads waits functions engines engine_users clocks" -- "$cur"))
		return
		;;
	--kind)
		COMPREPLY=($(compgen -W "preemption shared-device idle-device overlap transfers waiting
			builds allocations launch errors leaks trace" -- "$cur"))
		return
		;;
	--with) COMPREPLY=($(compgen -f -- "$cur")) && return ;;
	--limit-size | --exit-wait | --drain-interval | --port | --p | --min | --min-run | --pid | --tid | --name | --from | --to | --top | --limit)
		return
		;;
	esac

	case $verb in
	record)
		options="-o --output --force --domains --args --device-timing --start-paused
			--limit-size --exit-wait --cuda --capture --drain-interval --inject --kernel --sample --unwind
			--clock -q --quiet --help"
		;;
	status | doctor) options="--format --help" ;;
	export) options="-f --format -o --output -w --with --join -q --quiet --help" ;;
	view) options="--no-open -w --with -p --port --align-starts --join --help" ;;
	diff) options="--format --table --p --min --min-run --top --help" ;;
	sql) options="--format --help" ;;
	report) options="--format --table --clocks --metrics --from --to --findings --with --top --help" ;;
	findings) options="--format --kind --min --all --with --help" ;;
	print) options="--format --pid --tid --name --from --to --limit --raw --help" ;;
	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
	*)
		if [ "$verb" = record ]; then
			COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur"))
		elif [ "$verb" != doctor ]; then
			# A session is a directory with a control page in it.
			local folder
			while read -r folder; do
				[ -e "$folder/control" ] && COMPREPLY+=("$folder")
			done < <(compgen -d -- "$cur")
			[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -d -- "$cur"))
		fi
		;;
	esac
}

complete -F _tandem tandem
